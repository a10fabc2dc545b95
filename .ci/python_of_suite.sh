#!/usr/bin/env bash
# Run tests on the Python of a Debian suite, in a folder made by debootstrap: python_of_suite.sh SUITE TEST ...
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$1 root=$PWD/.pythons/$1
shift
command -v debootstrap >/dev/null || apt-get install --yes --quiet debootstrap
mkdir -p .pythons
test -e "$root/.made" || {
    rm -rf "$root"
    debootstrap --variant=minbase --include=ca-certificates,git,python3,python3-venv "$suite" "$root"
    touch "$root/.made"
}
# What the chroot needs of this system: names, certificates, and the files that git knows.
cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
cp --dereference /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
rm -rf "$root/src" && mkdir "$root/src"
git archive HEAD | tar --extract --directory "$root/src"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --rbind --make-rslave /dev "$root/dev"
trap 'umount --recursive --lazy "$root/dev" "$root/proc"' EXIT
chroot "$root" sh -c 'set -e
    cd /src
    python3 --version
    test -x /venv/bin/python || python3 -m venv /venv
    /venv/bin/python -m pip install --quiet --disable-pip-version-check \
        hypothesis pytest pytest-xdist setuptools --editable .
    OMP_NUM_THREADS=1 /venv/bin/python -m pytest --numprocesses 2 "$@"' sh "$@"
