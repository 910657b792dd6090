"""Words of the trade: what any session of any project would use, and so tells nothing apart. Data and one question."""

from __future__ import annotations

import re
from functools import lru_cache

from ravenglass.scheduler.intent.lexicon import EXTENSIONS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILES = _words(
    """
    README.md README.rst README CHANGELOG.md CHANGELOG.rst CHANGELOG CONTRIBUTING.md LICENSE LICENSE.md LICENSE.txt
    Makefile Dockerfile docker-compose.yml docker-compose.yaml package.json package-lock.json yarn.lock
    pnpm-lock.yaml tsconfig.json jsconfig.json pyproject.toml setup.py setup.cfg requirements.txt
    requirements-dev.txt poetry.lock uv.lock tox.ini pytest.ini conftest.py manage.py Cargo.toml Cargo.lock go.mod
    go.sum main.py main.go main.rs main.ts main.js main.c main.cpp app.py app.js app.ts app.tsx App.tsx App.vue
    App.jsx index.js index.ts index.tsx index.jsx index.html index.css style.css styles.css __init__.py __main__.py
    utils.py utils.ts utils.js utils.go helpers.py types.ts types.go lib.rs mod.rs test.py tests.py Gemfile
    Gemfile.lock pom.xml build.gradle settings.gradle CMakeLists.txt CLAUDE.md AGENTS.md GEMINI.md SKILL.md
    .gitignore .gitattributes .env .env.example .editorconfig .eslintrc.js .eslintrc.json .prettierrc .npmrc
    .dockerignore .pre-commit-config.yaml mypy.ini settings.json config.json config.yaml config.yml config.py
    config.toml vite.config.ts vite.config.js webpack.config.js next.config.js tailwind.config.js
    tailwind.config.ts jest.config.js babel.config.js eslint.config.js .github/workflows .gitmodules .zshrc .bashrc
    id_rsa test.txt output.txt file.txt
    """
)
"""Conventional file names."""

_STEMS = _words(
    """
    test tests main index app util utils helper helpers type types config setup init file foo bar baz example sample
    demo temp tmp output input hello lib mod
    """
)
"""What files of any language are called, with or without a number."""

FOLDERS = _words(
    """
    node_modules site-packages dist-packages __pycache__ .venv .git .github .vscode .idea .mypy_cache .pytest_cache
    .ruff_cache /dev/null /tmp /etc/passwd /etc/hosts /usr/bin/env /bin/bash /bin/sh /usr/local/bin /usr/local
    /usr/bin /dev/stdin /dev/stdout /dev/stderr ~/.bashrc ~/.zshrc ~/.config ~/.ssh .git/config .git/hooks
    .git/HEAD refs/heads refs/tags origin/main origin/master origin/HEAD HEAD~1 HEAD^ 127.0.0.1 0.0.0.0 localhost
    ::1
    """
)

NAMES = _words(
    """
    TypeScript JavaScript CoffeeScript GitHub GitLab BitBucket PostgreSQL MySQL SQLite MongoDB GraphQL FastAPI
    PyTorch NumPy TensorFlow SciPy OpenAI ChatGPT DeepSeek YouTube LinkedIn macOS iOS iPadOS WebSocket WebSockets
    LaTeX IntelliJ PyCharm VSCode VueJS NodeJS NextJS ReactJS PyPI DevOps MacBook iPhone OAuth OAuth2 OpenAPI
    OpenSSL JUnit PyQt PySide6 CMake GCC LLaMA LangChain LlamaIndex HuggingFace PowerShell WordPress JetBrains
    GitOps DynamoDB CloudFormation CloudFront RabbitMQ ElasticSearch OpenSearch KeyError todo_list TodoWrite
    TodoRead WebFetch WebSearch MultiEdit ExitPlanMode AskUserQuestion ToolSearch NotebookEdit BashOutput KillShell
    TaskOutput str_replace str_replace_editor create_file read_file write_file edit_file run_command execute_bash
    apply_patch file_path old_string new_string old_str new_str file_text view_range start_line end_line
    in_progress general-purpose files_with_matches pull_request pre-commit post-commit pre-push prepare-commit-msg
    commit-msg post-checkout post-merge pre-receive post-receive snake_case camelCase PascalCase kebab-case utf-8
    UTF-8 utf8 utf8mb4 iso-8859-1 latin-1 sha1 sha256 sha512 md5 base64 base32 hex64 x86_64 x86-64 aarch64 arm64
    amd64 win32 linux64 python2 python3 python3.11 python3.12 py311 ES2020 ES2022 ES5 ES6 ES2015 ISO8601 RFC3339
    HTTP2 HTTP/1.1 HTTP/2 I/O CI/CD UI/UX TCP/IP and/or N/A client/server read/write true/false yes/no key/value
    up-to-date end-to-end step-by-step state-of-the-art out-of-the-box day-to-day one-to-one many-to-many
    back-to-back case-by-case first-come-first-served line-by-line side-by-side well-known real-time content-type
    Content-Type application/json text/plain text/html text/css image/png image/jpeg multipart/form-data user-agent
    User-Agent x-forwarded-for access_token refresh_token client_id client_secret api_key API_KEY DATABASE_URL
    SECRET_KEY NODE_ENV PYTHONPATH LD_LIBRARY_PATH VIRTUAL_ENV TODO_LIST created_at updated_at deleted_at user_id
    user_name first_name last_name is_active created_by updated_by full_name file_name file_size file_type
    max_length min_length num_workers batch_size learning_rate random_state test_size n_estimators dev_dependencies
    devDependencies peerDependencies optionalDependencies Co-Authored-By Signed-off-by noreply@anthropic.com
    """
)
"""Products, standards, options of known tools, names that any program may have."""

PYTHON = _words(
    """
    isinstance issubclass hasattr getattr setattr delattr staticmethod classmethod property frozenset bytearray
    memoryview enumerate NotImplemented functools.wraps functools.partial functools.lru_cache lru_cache
    cached_property dataclass dataclasses.dataclass dataclasses.field abstractmethod contextmanager defaultdict
    OrderedDict namedtuple TypedDict NamedTuple TypeVar ParamSpec Optional Callable Iterable Iterator TYPE_CHECKING
    deepcopy NoneType ModuleNotFoundError setUp tearDown setUpClass tearDownClass TestCase assertEqual assertTrue
    assertFalse assertIs assertIsNone assertIn assertRaises assertNotEqual assertIsInstance assertAlmostEqual
    assertListEqual assertDictEqual MagicMock AsyncMock monkeypatch tmp_path capsys side_effect return_value
    add_argument parse_args ArgumentParser from_dict to_dict exist_ok read_text write_text read_bytes write_bytes
    is_file is_dir splitlines startswith endswith rsplit lstrip rstrip to_csv read_csv to_datetime drop_duplicates
    value_counts sort_values reset_index DataFrame ndarray load_dotenv get_event_loop run_until_complete
    create_task PathLike StringIO BytesIO ThreadPoolExecutor ProcessPoolExecutor BaseModel BaseSettings
    HTTPException APIRouter StreamHandler FileHandler getLogger basicConfig site_packages max_depth
    """
)

SCRIPT = _words(
    """
    setTimeout setInterval clearTimeout clearInterval setImmediate addEventListener removeEventListener
    dispatchEvent preventDefault stopPropagation getElementById querySelector querySelectorAll createElement
    appendChild innerHTML innerText textContent classList className localStorage sessionStorage getItem setItem
    removeItem parseInt parseFloat toString toFixed toLowerCase toUpperCase toISOString toLocaleString
    toLocaleDateString toLocaleTimeString charAt charCodeAt fromCharCode indexOf lastIndexOf includes forEach
    findIndex flatMap reduceRight isArray hasOwnProperty defineProperty getOwnPropertyNames stringify useState
    useEffect useMemo useCallback useRef useContext useReducer createContext createRoot ReactDOM forwardRef
    componentDidMount onClick onChange onSubmit readFileSync writeFileSync existsSync mkdirSync readdirSync
    statSync unlinkSync readFile writeFile execSync spawnSync createReadStream createServer __dirname __filename
    processEnv beforeEach afterEach beforeAll afterAll toBe toEqual toBeTruthy toBeNull toHaveLength
    toHaveBeenCalled toHaveBeenCalledWith mockReturnValue mockImplementation padStart padEnd trimEnd trimStart
    replaceAll encodeURIComponent decodeURIComponent requestAnimationFrame XMLHttpRequest FormData FileReader
    AbortController TextDecoder TextEncoder Uint8Array ArrayBuffer BigInt RegExp lineHeight fontSize fontFamily
    fontWeight backgroundColor borderRadius flexDirection justifyContent alignItems textAlign zIndex maxWidth
    minHeight boxShadow
    """
)

GO = _words(
    """
    Errorf Fatalf Sprintf Fprintf Printf Println Sprint Fprintln Fprint Fatal Skipf Logf WithValue WithCancel
    WithTimeout MkdirAll MkdirTemp ReadFile WriteFile OpenFile ReadDir ReadAll RemoveAll MarshalIndent Unmarshal
    NewReader NewWriter NewScanner NewDecoder NewEncoder NewBuffer NewBufferString TrimSpace TrimPrefix TrimSuffix
    HasPrefix HasSuffix SplitN FieldsFunc ReplaceAll ToLower ToUpper EqualFold StdoutPipe StderrPipe StdinPipe
    CombinedOutput CommandContext LookPath TempDir UserHomeDir Getwd IsNotExist IsExist RunE PersistentFlags
    StringVar BoolVar WaitGroup RWMutex ResponseWriter HandlerFunc ListenAndServe StatusOK StatusNotFound
    StatusBadRequest StatusInternalServerError O_WRONLY O_RDONLY O_RDWR O_CREATE O_TRUNC O_APPEND DevNull ParseInt
    ParseFloat FormatInt Itoa Atoi WalkDir SysProcAttr
    """
)

OTHERS = _words(
    """
    unwrap_or unwrap_or_else unwrap_or_default to_string to_owned into_iter iter_mut as_str as_ref as_mut from_str
    collect_vec HashMap HashSet BTreeMap PathBuf OsString VecDeque RefCell println eprintln derive_more ArrayList
    LinkedList HashTable StringBuilder NullPointerException IllegalArgumentException IllegalStateException
    RuntimeException IOException FileNotFoundException getClass hashCode toArray valueOf BigDecimal LocalDate
    LocalDateTime SpringBootApplication RestController RequestMapping Autowired IEnumerable IActionResult DbContext
    SwiftUI UIKit ViewModel viewDidLoad NSString malloc_usable_size size_t uint8_t uint16_t uint32_t uint64_t
    int8_t int16_t int32_t int64_t std::string std::vector std::move std::unique_ptr std::shared_ptr unique_ptr
    shared_ptr make_shared make_unique push_back emplace_back c_str nullptr static_cast dynamic_cast CREATE_TABLE
    NOT_NULL PRIMARY_KEY
    """
)

ERRORS = _words(
    """
    ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError BufferError
    BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError EnvironmentError FileExistsError FileNotFoundError
    FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
    InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError
    NameError NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning
    PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning
    StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError
    TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeWarning UserWarning
    ValueError ZeroDivisionError RangeError EvalError URIError AggregateError JSONDecodeError CalledProcessError
    TimeoutExpired HTTPError URLError ENOENT EACCES EEXIST EPERM EINVAL SIGTERM SIGKILL SIGINT SIGHUP DoesNotExist
    """
)

GENERIC = _words(
    """
    filePath fileName fileContent fileSize dirPath dirName baseDir rootDir projectDir srcDir tmpDir tempDir outputDir
    outDir homeDir inputFile outputFile baseUrl baseURL userId userName userID sessionId startTime endTime currentTime
    newValue oldValue newText oldText newString oldString newContent oldContent isEmpty isValid hasError errorMessage
    statusCode responseBody requestBody totalCount lineCount maxCount maxLength minLength pageSize currentIndex
    startIndex endIndex lineNumber newLine firstLine lastLine currentLine resultList dataList tableName columnName
    className methodName functionName variableName displayName fullName firstName lastName filePaths fileNames
    file_paths file_names dir_path dir_name base_dir root_dir project_dir src_dir tmp_dir temp_dir output_dir out_dir
    home_dir input_file output_file base_url start_time end_time new_value old_value is_valid is_empty has_error
    fullPath relPath absPath relativePath absolutePath tempFile tmpFile testDir testFile full_path rel_path abs_path
    tool_use tool_result tool_results tool_call tool_calls tool_name tool_input
    error_message status_code total_count line_number page_size table_name column_name class_name method_name
    function_name display_name test_file test_dir test_data my_project foo_bar some_function my_function
    """
)
"""Names that programs give to whatever is at hand."""
_MEMBERS = _words(
    """
    length size name names id ids value values type types key keys data text content path paths index count push pop map
    filter join split trim replace slice reduce find sort items get set add update append extend close open read write
    run start stop exec call apply bind then catch next test match error message status code result results url title
    ID Id Name Type Value Key Error String Len
    """
)
"""Members that any object may have."""

_PYTHON_MODULES = _words(
    """
    os sys re json math time datetime pathlib random typing collections itertools functools logging subprocess
    shutil asyncio threading multiprocessing unittest argparse tempfile hashlib inspect traceback warnings
    contextlib dataclasses enum abc copy io csv glob pickle socket urllib http string struct textwrap types uuid
    xml zipfile operator importlib concurrent queue signal sqlite3 statistics platform pprint secrets np pd plt tf
    torch nn numpy pandas matplotlib scipy sklearn requests flask django pytest pydantic typer click yaml tqdm
    sqlalchemy httpx rich models forms admin self cls super str dict list set int float bytes tuple object mock
    """
)
_PYTHON_ONLY = _words(
    """
    pathlib collections itertools functools subprocess shutil asyncio threading multiprocessing unittest argparse
    tempfile hashlib inspect traceback contextlib dataclasses pickle socket urllib importlib concurrent sqlite3
    statistics np pd plt tf torch nn numpy pandas matplotlib scipy sklearn requests flask django pytest pydantic
    typer sqlalchemy httpx os.path datetime typing textwrap zipfile configparser pkgutil
    """
)
"""Modules that nothing of a project is called like: whatever is in them is theirs."""
_GO_MODULES = _words(
    """
    fmt os strings json context slog http errors time filepath path exec io ioutil bytes strconv sort sync testing
    log bufio regexp math rand url html template sql net syscall runtime reflect atomic signal flag unicode utf8
    hex base64 sha256 tls cobra viper require assert git plumbing object cmd ctx req resp rand wg mu
    """
)
_SCRIPT_OBJECTS = _words(
    """
    console Math JSON Object Array Promise process document window navigator location Number String Boolean Date
    Symbol Reflect fs path os http https util events crypto child_process express app router res req React Vue
    axios jest vi expect describe module exports event error err e i18n Intl performance chalk z zod Type
    """
)
_PRODUCT = re.compile(
    r"[A-Z][a-z0-9]+\.(?:js|ts|py|io|NET)\Z|REDACTED|(?i:abc|def|foo|bar|baz|xyz|test|example)[-_]?\d{0,4}\Z"
)
"""Libraries that call themselves after a file, what a writer puts in place of a text, and names of examples."""
_MODULE_HOSTS = (
    "github.com/",
    "golang.org/",
    "google.golang.org/",
    "gopkg.in/",
    "pkg.go.dev/",
    "go.uber.org/",
    "k8s.io/",
    "node:",
)
"""Import paths begin with the host that the module comes from."""
_LOCAL_ERROR = re.compile(r"[a-z]+(?:Err|Error)\Z|err[A-Z]?[a-z]{0,3}\Z")
_DUNDER = re.compile(r"__\w+__\Z")
_NUMBERED = re.compile(r"\d*\Z")
_MADE_UP = re.compile(
    r"(?:[a-z]\d){3,}[a-z]?\Z|(?:\d[a-z]){3,}\d?\Z|(?:abc|def)*123456\w*\Z|deadbeef\w*\Z", re.IGNORECASE
)
"""Ids that writers of tests and examples put down by counting."""
_GIT_FORMAT = re.compile(r"(?:HEAD|ORIG_HEAD|FETCH_HEAD)[~^@{}\d]*\Z")


@lru_cache(maxsize=1 << 15)
def of_the_trade(term: str) -> bool:
    """Whether a term tells nothing about a session: any session may use it."""
    if term in _ALL or term.lower() in _LOWER or _GIT_FORMAT.match(term):
        return True
    if _PRODUCT.match(term) or _LOCAL_ERROR.match(term) or _MADE_UP.match(term) or term.startswith(_MODULE_HOSTS):
        return True
    if term.startswith("__") and term.rstrip("()").endswith("__"):
        return True
    base = term.rpartition("/")[2]
    if base != term:
        return term.rstrip("/") in _ALL
    head, dot, rest = term.partition(".")
    if dot and rest.lower() in EXTENSIONS and (_NUMBERED.sub("", head).lower() in _STEMS or _DUNDER.match(head)):
        return True
    return bool(dot) and _of_a_library(head, rest)


def _of_a_library(head: str, rest: str) -> bool:
    """A member of a module or object that everybody knows, in the spelling of its language."""
    parts = rest.split(".")
    if all(part in _ALL for part in parts):
        return True
    if _plain(_NUMBERED.sub("", head)) and len(parts) == 1 and parts[0] in _MEMBERS:
        return True
    if head in _PYTHON_ONLY or (head in _PYTHON_MODULES and parts[-1] in PYTHON):
        return True
    if head in _PYTHON_MODULES and all(_plain(part) for part in parts):
        return True
    if head in _GO_MODULES and len(parts) == 1 and parts[0][:1].isupper() and head != "log":
        return True
    return head in _SCRIPT_OBJECTS and len(parts) <= 2 and (_plain(rest.replace(".", "")) or parts[-1] in _ALL)


def _plain(part: str) -> bool:
    return part.islower() and part.isalpha()


_ALL = GENERIC | FILES | FOLDERS | NAMES | PYTHON | SCRIPT | GO | OTHERS | ERRORS
_LOWER = frozenset(word.lower() for word in NAMES | FILES)
