"""The toolkits that Coppice is measured against, installed by name and version.

They go to $COPPICE_PEERS (.peers/ at the top of the repository by default, ignored by git): Python
ones into a virtual environment, MALLET and what it needs as jars by Maven. Nothing is installed
twice: a file beside each says which versions are there.

    python3 peers.py            installs all; says what it skips and why
"""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON_PEERS = ["python-crfsuite==0.9.12", "sklearn-crfsuite==0.5.0", "seqeval==1.2.2"]
TREE_PEERS = ["xgboost==2.1.4", "lightgbm==4.6.0", "scikit-learn==1.6.1"]
MALLET = ("cc.mallet", "mallet", "2.0.8")
KENLM = "kenlm==0.3.0"
BOOST_PACKAGES = ["libboost-program-options-dev", "libboost-system-dev", "libboost-thread-dev",
                  "libboost-test-dev"]
SMILE = ("com.github.haifengl", "smile-core", "1.5.3")

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>coppice</groupId><artifactId>peers</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
  </dependency></dependencies>
</project>
"""


def folder() -> pathlib.Path:
    return pathlib.Path(os.environ.get("COPPICE_PEERS", ROOT / ".peers")).absolute()


def is_installed(stamp: pathlib.Path, versions: str) -> bool:
    return stamp.exists() and stamp.read_text() == versions


def run_quietly(command: list[str], **options) -> None:
    """Shows the command's output only when it fails, and then raises CalledProcessError."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
        done.check_returncode()


def environment(name: str, packages: list[str]) -> pathlib.Path:
    """The interpreter of an environment that has these packages; made at the first call."""
    home = folder() / name
    interpreter, stamp = home / "bin" / "python", home / "installed.txt"
    versions = "\n".join(packages) + "\n"
    if not is_installed(stamp, versions):
        home.parent.mkdir(parents=True, exist_ok=True)
        run_quietly([sys.executable, "-m", "venv", "--clear", os.fspath(home)])
        run_quietly([os.fspath(interpreter), "-m", "pip", "install", "--quiet",
                     "--disable-pip-version-check", *packages])
        stamp.write_text(versions)
    return interpreter


def python() -> pathlib.Path:
    return environment("python", PYTHON_PEERS)


def tree_python() -> pathlib.Path:
    return environment("trees", TREE_PEERS)


def jars(artifact: tuple[str, str, str]) -> str | None:
    """For `java -cp`; None, with a line that says why, where there is no Java or no Maven."""
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if missing:
        print(f"peers: skipping {artifact[1]}, which needs {' and '.join(missing)}", file=sys.stderr)
        return None
    home = folder() / artifact[1]
    stamp, versions = home / "installed.txt", ":".join(artifact) + "\n"
    if not is_installed(stamp, versions):
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        (home / "pom.xml").write_text(POM.format(*artifact))
        run_quietly(["mvn", "--batch-mode", "dependency:copy-dependencies",
                     "-DoutputDirectory=jars"], cwd=home)
        stamp.write_text(versions)
    return os.fspath(home / "jars" / "*")


def crfsuite_programs() -> pathlib.Path | None:
    """A folder with CRFsuite's own program and crfsuite_ids (see crfsuite_ids.c), built from its sources.

    Those come with python-crfsuite's. None, with a line that says why, where there is no C compiler.
    """
    if shutil.which("cc") is None:
        print("peers: skipping CRFsuite's program, which needs a C compiler", file=sys.stderr)
        return None
    home, package = folder() / "crfsuite", PYTHON_PEERS[0]
    stamp, own = home / "installed.txt", pathlib.Path(__file__).with_name("crfsuite_ids.c")
    versions = f"{package}\n{own.read_text()}"
    if is_installed(stamp, versions):
        return home
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    run_quietly([os.fspath(python()), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary",
                 package.split("==")[0], "--dest", os.fspath(home), package])
    shutil.unpack_archive(next(home.glob("*.tar.gz")), home)
    source = next(path for path in home.iterdir() if path.is_dir())
    crfsuite = source / "crfsuite"
    library = [*crfsuite.glob("lib/crf/src/*.c"), *(crfsuite / "lib/cqdb/src" / name
                                                    for name in ("cqdb.c", "lookup3.c")),
               source / "liblbfgs/lib/lbfgs.c"]
    headers = [f"-I{path}" for path in (crfsuite / "include", crfsuite / "lib/cqdb/include",
                                        source / "liblbfgs/include", crfsuite / "frontend")]
    for name, main in (("crfsuite", list(crfsuite.glob("frontend/*.c"))),
                       ("crfsuite_ids", [crfsuite / "frontend/iwa.c", own])):
        run_quietly(["cc", "-O3", "-std=gnu99", "-w", "-DUSE_SSE", "-DHAVE_EMMINTRIN_H", *headers,
                     *map(os.fspath, [*library, *main]), "-o", os.fspath(home / name), "-lm"])
    stamp.write_text(versions)
    return home


def install_boost() -> bool:
    """Whether Boost's headers are there, which Debian's packages bring when we may install them."""
    header = pathlib.Path("/usr/include/boost/program_options.hpp")
    if not header.exists() and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends",
                        *BOOST_PACKAGES], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
    return header.exists()


def kenlm_programs() -> pathlib.Path | None:
    """A folder with KenLM's lmplz, build_binary and query, built from the sources of its package.

    None, with a line that says why, where they cannot be built.
    """
    missing = [tool for tool in ("cmake", "c++") if shutil.which(tool) is None]
    if missing or not install_boost():
        print(f"peers: skipping KenLM, which needs {' and '.join(missing) or BOOST_PACKAGES[0]}",
              file=sys.stderr)
        return None
    home = folder() / "kenlm"
    stamp, versions = home / "installed.txt", f"{KENLM}\n"
    if is_installed(stamp, versions):
        return home / "build" / "bin"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    run_quietly([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary",
                 "kenlm", "--dest", os.fspath(home), KENLM])
    shutil.unpack_archive(next(home.glob("*.tar.gz")), home)
    source = next(path for path in home.iterdir() if path.is_dir())
    run_quietly(["cmake", "-S", os.fspath(source), "-B", os.fspath(home / "build"),
                 "-DCMAKE_BUILD_TYPE=Release"])
    run_quietly(["cmake", "--build", os.fspath(home / "build"), "--target", "lmplz", "build_binary",
                 "query"])
    stamp.write_text(versions)
    return home / "build" / "bin"


def mallet_class_path() -> str | None:
    return jars(MALLET)


def smile_class_path() -> str | None:
    return jars(SMILE)


if __name__ == "__main__":
    print(f"python peers: {python()}")
    print(f"tree learners: {tree_python()}")
    print(f"crfsuite: {crfsuite_programs() or 'skipped'}")
    print(f"kenlm: {kenlm_programs() or 'skipped'}")
    print(f"mallet: {mallet_class_path() or 'skipped'}")
    print(f"smile: {smile_class_path() or 'skipped'}")
