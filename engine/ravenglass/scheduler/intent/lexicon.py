"""Word lists for finding entities: words that say nothing, common technical terms, endings of file names.

Data only.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    about above actually after again against all almost alone along already also although always among
    and another any anyone anything are aren around ask away back because been before being below best
    better between both but came can cannot come could couldn did didn does doesn doing don done down
    during each either else enough even ever every everything few find first for from fully get gets
    getting give given goes going good got had hadn has hasn have haven having hello her here hers
    herself him himself his how however into isn its itself just keep kind know last least less let lets
    like likely lot made make makes making many may maybe mean might mine more most much must mustn
    myself need needs neither never new next nor not nothing now off often okay once one only onto other
    others our ours ourselves out over own per perhaps please possible put quite rather really right
    said same say says see seem seems seen several shall she should shouldn since some someone something
    soon still such sure take taken tell than thank thanks that the their theirs them themselves then
    there these they thing things think this those though three through thus too took toward try trying
    two under until upon use used uses using very via want wants was wasn way ways well went were weren
    what whatever when where whether which while who whole whom whose why will with within without won
    would wouldn yes yet you your yours yourself
    """
)

CHINESE = _words(
    """
    我们 你们 他们 她们 它们 咱们 这个 那个 这些 那些 这样 那样 这里 那里 一个 一下 一些 一样 一直 一起
    什么 怎么 怎样 为什 如何 哪个 哪些 哪里 可以 可能 能够 应该 需要 没有 不是 就是 还是 只是 但是 可是
    而且 并且 或者 以及 因为 因此 所以 如果 虽然 然后 然而 不过 其他 其它 其中 之后 之前 现在 已经 正在
    关于 对于 由于 通过 根据 按照 进行 使用 请你 请问 帮我 谢谢 好的 是的 里面 上面 下面 时候 东西 非常
    比较 起来 出来 也是 都是 的话 了吗 是否 不能 不要 必须 务必 禁止 首先 最后 为了 其实 另外
    """
)
"""Two-character function words. They are dropped as bigrams and never offered as keywords."""

CHINESE_BOUNDARIES = "的了是在和与及或把被对将从到为以等这那个之其也就都而且吗呢吧啊么着过给让请我你他她它们"
"""Characters that seldom stand inside a content word: a run is cut at them to find readable keywords."""

CHINESE_TERMS = _words(
    """
    数据库 数据 连接池 连接 接口 模块 函数 变量 配置 文件 目录 路径 代码 测试 用例 单元测试 运行 日志
    错误 异常 缓存 线程 进程 服务器 客户端 服务 请求 响应 登录 注册 用户 权限 密码 令牌 会话 消息 上下文
    窗口 预算 配额 阈值 参数 默认值 返回值 类型 字段 索引 事务 迁移 版本 分支 提交 合并 冲突 部署 构建
    编译 依赖 修改 修复 重构 优化 实现 删除 添加 增加 更新 检查 性能 内存 队列 任务 计划 决定 方案 问题
    需求 文档 注释 界面 组件 按钮 页面 样式 渲染 布局 字符 字符串 编码 解析 格式 正则 算法 排序 过滤
    搜索 查询 归档 摘要 压缩 回滚 快照 工具 调用 结果 输入 输出 输入框 加载 保存 导入 导出 启动 超时
    重试 并发 网络 端口 域名 证书 加密 签名 验证 校验 订单 支付 金额 库存 价格 邮件 通知 计算 逻辑 状态
    事件 回调 监听 初始化 统计 报告
    """
)
"""Terms of software work, used only to cut long runs of Chinese into readable keywords."""

JAPANESE = _words(
    """
    する した して しま ます まし です でし ない なり なる れる られ せる こと もの これ それ あれ この
    その あの ため よう から まで より ので のに けど でも には では とは への での って いる いま ある
    あり おり ください くだ ださ さい たい たら なら ながら について つい いて
    """
)

EXTENSIONS = _words(
    """
    adoc astro avif bash bat bmp c cc cfg cjs class clj cmake conf cpp cs csproj css csv cu cxx dart db
    diff dll doc docx dylib ejs elm env eps erl ex exe exs feather fish fs gif go gql gradle graphql
    groovy gz h hbs hcl hh hpp hrl hs htm html ico ini ipynb jar java jl jpeg jpg js json json5 jsonc
    jsonl jsx kt kts less lock log lua m md mdx mjs mk ml mli mm mp3 mp4 nim nix npy npz o odt out
    parquet patch pdf php pkl pl plist pm png ppt pptx prisma proto ps1 psd pub pxd py pyc pyi pyx qml r
    rb rmd rs rst sass scala scss sh so sol sql sqlite sqlite3 styl svelte svg swift tar tcl tex tf
    tfvars tgz tif tiff toml traj ts tsv tsx ttf txt typ ui vim vue wasm wav webm webp whl wixproj woff
    woff2 xaml xcodeproj xhtml xls xlsx xml xsd xsl xz yaml yml zig zip zsh zst
    """
)
"""Last component of a dotted name that makes it a file name rather than an attribute path."""

DOTFILES = _words(
    """
    babelrc bashrc coveragerc dockerignore editorconfig env eslintignore eslintrc flake8 gitattributes
    gitignore gitmodules mailmap npmignore npmrc nvmrc prettierignore prettierrc pylintrc vimrc zshrc
    """
)
"""Hidden files without an ending, without their dot; `.map` before a bracket is a method, not a file."""
