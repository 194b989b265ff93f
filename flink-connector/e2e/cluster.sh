# A Flink cluster on the loopback address, with the shaded jar in lib/. For scripts to source, which have set
# $here to this directory and $work to one for everything that is written. Stops what was started.

flink_version=${FLINK_VERSION:-$(sed -n 's|.*<flink.version>\(.*\)</flink.version>.*|\1|p' "$here/../../pom.xml")}
mkdir -p "$work"
work=$(cd "$work" && pwd)
pids=()

say() { echo "[e2e $(date +%T)] $*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

# --- The jar -----------------------------------------------------------------------------------------------

jar=$(ls "$here"/../flink-sql-connector-bsdb/target/flink-sql-connector-bsdb-*.jar 2>/dev/null | grep -v sources | head -1) ||
  fail "no jar; first: mvn -B package -DskipTests -pl flink-connector/flink-sql-connector-bsdb -am"
# Classes under names that other jars may have, too. zstd-jni and JNA must keep theirs.
leaked=$(unzip -Z1 "$jar" | grep '\.class$' | grep -vE '^(io/bsdb/|com/github/luben/zstd/|com/sun/jna/)' || true)
[ -z "$leaked" ] || fail "classes in $jar that are not relocated: $leaked"
say "jar $(basename "$jar"): $(du -h "$jar" | cut -f1), no class outside of io.bsdb, com.github.luben.zstd, com.sun.jna"

# --- The distribution --------------------------------------------------------------------------------------

# Maven Central has no flink-dist; the Python packages of Flink hold the jars and the scripts.
download() {
  local packages=$work/packages
  say "getting Flink $flink_version (about 330 MB)"
  pip download --quiet --no-deps --only-binary=:all: --dest "$packages" \
    "apache-flink-libraries==$flink_version" "apache-flink==$flink_version"
  unzip -qo "$packages/apache_flink_libraries-*.whl" 'pyflink/lib/*' 'pyflink/opt/*' 'pyflink/bin/*' -d "$work/unpacked"
  unzip -qo "$packages/apache_flink-*.whl" 'pyflink/bin/*' 'pyflink/conf/*' -d "$work/unpacked"
  mvn -B -q dependency:copy -Dartifact="org.apache.flink:flink-sql-gateway:$flink_version" \
    -DoutputDirectory="$work/unpacked/pyflink/opt"
  rm -r "$packages"
  mv "$work/unpacked/pyflink" "$work/flink-$flink_version"
  rm -r "$work/unpacked"
}

distribution=${FLINK_HOME:-$work/flink-$flink_version}
[ -d "$distribution/lib" ] || download

# A home of our own: the distribution's jars, and one more in lib/.
home=$work/home
rm -rf "$home" "$work/warehouse" "$work/enriched" "$work/log" "$work/tmp" "$work/sql"
mkdir -p "$home/lib" "$home/opt" "$home/plugins" "$work/warehouse" "$work/log" "$work/tmp" "$work/sql"
cp -r "$distribution/bin" "$distribution/conf" "$home"
chmod +x "$home"/bin/*
ln -s "$distribution"/opt/flink-sql-*.jar "$distribution"/opt/flink-python-*.jar "$home/opt"
ln -s "$distribution"/lib/*.jar "$home/lib"
cp "$jar" "$home/lib"

free_port() {
  local port
  while true; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

rest=$(free_port)
# Writes the configuration: what every cluster has, and what comes on standard input.
configure() {
  cat > "$home/conf/config.yaml"
  cat >> "$home/conf/config.yaml" <<EOF
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: $(free_port)
jobmanager.bind-host: 127.0.0.1
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: $rest
io.tmp.dirs: $work/tmp
env.log.dir: $work/log
env.pid.dir: $work/log
env.java.opts.all: $(sed -n 's|.*<flink.addOpens>\(.*\)</flink.addOpens>.*|\1|p' "$here/../../pom.xml")
EOF
}
export FLINK_CONF_DIR=$home/conf FLINK_LOG_DIR=$work/log FLINK_PID_DIR=$work/log
unset FLINK_HOME

# --- The cluster -------------------------------------------------------------------------------------------

# The process that a pid file of Flink's scripts got last.
last_pid() { tail -n 1 "$work"/log/flink-*-"$1".pid; }

start_task_manager() {
  "$home/bin/taskmanager.sh" start > /dev/null
  pids+=("$(last_pid taskexecutor)")
}

stop_all() {
  local pid
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  for pid in "${pids[@]}"; do
    for _ in $(seq 100); do kill -0 "$pid" 2> /dev/null || continue 2; sleep 0.1; done
    kill -9 "$pid" 2> /dev/null || true
  done
}
trap stop_all EXIT

get() { curl -s "http://127.0.0.1:$rest$1" || true; }

# Waits until a command succeeds, at most two minutes.
wait_for() {
  local what=$1
  shift
  for _ in $(seq 240); do
    if "$@"; then return; fi
    sleep 0.5
  done
  fail "waited two minutes for: $what; see $work/log"
}
has_task_managers() { get /overview | grep -q "\"taskmanagers\":$1,"; }

# Starts a JobManager and some TaskManagers.
start_cluster() {
  "$home/bin/jobmanager.sh" start > /dev/null
  pids+=("$(last_pid standalonesession)")
  for _ in $(seq "$1"); do start_task_manager; done
  wait_for "$1 TaskManager(s)" has_task_managers "$1"
  say "cluster runs: JobManager ${pids[0]}, TaskManagers ${pids[*]:1}, http://127.0.0.1:$rest"
}

# Runs a file, in which @NAME@ is replaced by the value of each further argument NAME=value. What the client
# printed goes to log/.
sql() {
  local name=$1 replace="s|@WORK@|$work|g"
  shift
  for pair in "$@"; do replace+=";s|@${pair%%=*}@|${pair#*=}|g"; done
  sed "$replace" "$here/catalog.sql" "$here/$name.sql" > "$work/sql/$name.sql"
  "$home/bin/sql-client.sh" -f "$work/sql/$name.sql" > "$work/log/$name.out" 2>&1 &&
    ! grep -qF '[ERROR]' "$work/log/$name.out" ||
    { cat "$work/log/$name.out"; fail "$name.sql $*"; }
}
