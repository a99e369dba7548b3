#!/bin/bash
# zebrasrv with an index of 120 MARC 21 records, the last 20 of growing sizes, on the loopback address.
#
#   usage: zebra.sh WORKDIR PORT
#
# Debian packages: idzebra-2.0-utils idzebra-2.0-common libidzebra-2.0-mod-grs-marc yaz
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

zebrasrv=$(program ZEBRASRV /usr/bin/zebrasrv-2.0)
zebraidx=$(program ZEBRAIDX /usr/bin/zebraidx-2.0)
tables=$(program ZEBRA_TABLES /usr/share/idzebra-2.0/tab)
modules=$(program ZEBRA_MODULES "$system_lib/idzebra-2.0/modules")

needs "$zebrasrv" "$zebraidx" "$tables/marc21.abs" "$modules/mod-grs-marc.so" yaz-marcdump yaz-client
begin 1 "$@"

# The document id is the control number, as the index of URXs (structure 104) has it.
{
	echo 'encoding utf-8'
	cat "$tables/marc21.abs"
	echo 'melm 001 Doc-id:u'
} >marc21.abs
cat >zebra.cfg <<CONF
profilePath: .:$tables
modulePath: $modules
attset: bib1.att
recordType: grs.marcxml.marc21
CONF

field() { # TAG TEXT
	printf '<datafield tag="%s" ind1="1" ind2="0"><subfield code="a">%s</subfield></datafield>\n' "$1" "$2"
}
{
	echo '<collection xmlns="http://www.loc.gov/MARC21/slim">'
	for ((i = 1; i <= 120; i++)); do
		echo '<record><leader>00000nam a2200000 a 4500</leader>'
		echo "<controlfield tag=\"001\">doc$i</controlfield>"
		field 100 "Author $((i % 7))"
		field 245 "Volume number $i of the gr&#252;ne series"
		for ((more = 100; more < i; more += 2)); do field 520 "$(printf '%09000d' "$more")"; done
		echo '</record>'
	done
	echo '</collection>'
} >records.xml
mkdir -p data
yaz-marcdump -i marcxml -o marc -t utf-8 -l 9=97 records.xml >data/records.mrc
"$zebraidx" -l index.log init
"$zebraidx" -l index.log update data

run zebra.log "$zebrasrv" -c zebra.cfg "tcp:127.0.0.1:$port"
wait_port "$port"

echo "z39.50r://127.0.0.1:$port/Default?doc1"
echo "z39.50s://127.0.0.1:$port/Default;query=volume"
