# The articles of the news servers, sourced by inn2.sh and sn.sh: files articles/ID in stored form (line
# ends LF), whose message-id is <ID@example.net>; "order" lists them as they are to be fed.

# article GROUPS ID SUBJECT EXTRA-HEADERS BODY
article() {
	{
		printf 'Path: not-for-mail\nFrom: Ann Author <ann@example.net>\n'
		printf 'Newsgroups: %s\nSubject: %b\nMessage-ID: <%s@example.net>\n' "$1" "$3" "$2"
		printf 'Date: Sat, 03 Feb 2001 %02d:%02d:00 +0000\n' $((${#order[@]} / 60)) $((${#order[@]} % 60))
		[[ -z $4 ]] || printf '%b\n' "$4"
		printf '\n%b' "$5"
	} >"articles/$2"
	order+=("articles/$2")
}

mkdir -p articles
order=()
mime='MIME-Version: 1.0\nContent-Transfer-Encoding: 8bit\nContent-Type: text/plain; charset='
for i in {1..30}; do
	refs=
	((i % 3 == 1)) || refs="References: <alpha$((i - 1))@example.net>"
	article test.alpha "alpha$i" "Article $i of the alpha group" "$refs" \
		"This is article $i.\nIt has two lines.\n"
done
article test.alpha dots 'Lines starting with dots' '' \
	'.\n..\n.leading dot\n...three dots\nmiddle . dot\n.\nlast line\n'
article test.alpha latin1 'Eight bits, ISO 8859-1' "${mime}iso-8859-1" \
	'gr\xfc\xdfe, caf\xe9\n'
article test.alpha utf8 'Eight bits, UTF-8' "${mime}utf-8" \
	'gr\xc3\xbc\xc3\x9fe, caf\xc3\xa9, \xe2\x82\xac\n'
article test.alpha qp '=?UTF-8?Q?Quoted_printable_=E2=82=AC?=' \
	'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable' \
	'caf=C3=A9 with a soft =\nline break\n'
article test.alpha b64 '=?UTF-8?B?QmFzZTY0IOKCrA==?=' \
	'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="=-="' \
	'preamble\n--=-=\nContent-Type: text/plain\n\ntext part\n--=-=\nContent-Type: application/octet-stream; name="bytes.bin"\nContent-Transfer-Encoding: base64\n\nAAECAwQFBgf/\n--=-=--\n'
article test.alpha long 'A long line and an empty line' '' \
	"$(printf 'x%.0s' {1..900})\n\nend\n"
article test.alpha folded 'A folded\n\theader line' 'X-Tabs: a\tb\tc' \
	'The Subject is folded and X-Tabs holds tabs.\n'
article test.alpha empty-body 'Empty body' '' ''
article test.alpha,test.beta cross 'Cross-posted' '' 'In two groups.\n'
article test.alpha cancelled 'To be cancelled' '' 'Leaves a hole in the numbers.\n'
for i in {1..10}; do
	article test.beta "beta$i" "Article $i of the beta group" '' \
		"$(printf "line %d\\\\n" {1..200})"
done
article test.moderated mod1 'Approved' 'Approved: moderator@example.net' \
	'Passed by the moderator.\n'
