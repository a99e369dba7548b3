#!/bin/bash
# Installs the tarballs of the six packages by npm in a project of their own, and runs the command and the library there.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."

repository=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node pack.mjs "$folder/tarballs" --built
mkdir "$folder/project"
cp test/package/user.ts "$folder/project/"
cd "$folder/project"
echo '{ "name": "user", "type": "module", "private": true }' >package.json
npm install --no-audit --no-fund "$folder"/tarballs/*.tgz
npx --no-install retrieve --version
# Node 20 does not read TypeScript; the file has no types but in its declarations.
sed -E 's/, type Representation//; s/: Representation =/ =/' user.ts >user.mjs
node user.mjs >printed
grep -x 'ftp function function' printed
# As README.md says: the command alone, from its tarball, and as a link into the clone.
npm install --no-audit --no-fund --global --prefix "$folder/global" "$folder"/tarballs/retriever-cli-*.tgz
"$folder/global/bin/retrieve" --version
test -f "$folder/global/share/man/man1/retrieve.1"
npm install --no-audit --no-fund --global --prefix "$folder/linked" "$repository/packages/cli"
"$folder/linked/bin/retrieve" --version
test -f "$folder/linked/share/man/man1/retrieve.1"
echo "The packages install by npm, and run."
