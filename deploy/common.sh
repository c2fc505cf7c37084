# shellcheck shell=bash
# Functions that the scripts beside it share: error messages, and installed packages.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034  # the scripts use it
root=$(dirname "$here")

fail() { printf '%s\n' "$*" >&2; exit 3; }

# needed KIND...: prints the packages of these kinds ("run", "test") that are not installed.
needed() {
    local line kind name
    while read -r line; do
        case $line in '#'*|'') continue ;; test:*) kind='test'; name=${line#test: } ;; *) kind=run; name=$line ;; esac
        case " $* " in *" $kind "*) ;; *) continue ;; esac
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || printf '%s\n' "$name"
    done < "$here/packages"
}

# provide KIND...: installs missing packages as root; otherwise prints the command and fails.
provide() {
    local missing
    mapfile -t missing < <(needed "$@" | sort -u)
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || fail "Please install these packages as root, then try again:  apt-get install ${missing[*]}"
    echo "Installing: ${missing[*]}"
    # Debian would start its own database server; Furrow runs its own cluster.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf
    local log; log=$(mktemp)
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
        > "$log" 2>&1; then
        tail -20 "$log" >&2
        fail "The packages could not be installed; see the lines above."
    fi
    rm -f "$log"
}

swift_found() {
    command -v swift > /dev/null || fail "Swift 6.3 is not on the PATH; see swift.org for how to install it."
}
