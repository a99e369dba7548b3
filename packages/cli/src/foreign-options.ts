/** What people type who come from curl or wget and there is no option for, and what to do in its place. */
const hints: readonly (readonly [typed: RegExp, hint: string])[] = [
  [/^-L$|^--location$/, 'Redirects are followed without it: leave it out.'],
  [/^-f$|^--fail(-with-body)?$/, 'A status of 400 and above is an error without it: leave it out.'],
  [/^--http2$/, 'HTTP/2 is offered within TLS without it: leave it out.'],
  [/^-R$|^--remote-time$/, 'A file gets the date of the resource without it: leave it out.'],
  [/^--(basic|digest|anyauth)$/, 'The strongest login that the server offers is taken: leave it out.'],
  [/^--path-as-is$/, 'The path goes out as it was typed: leave it out.'],
  [
    /^-[XdT]$|^--(request|upload-file|post-)|^--data\b/,
    'What is there is retrieved, by GET or HEAD (-I); nothing can be sent.',
  ],
  [/^-F$|^--form-/, 'Nothing can be posted by HTTP; --form NAME=VALUE answers the forms of Gopher servers.'],
  [/^-b$|^--cookie$/, "Give cookies by -H 'Cookie: NAME=VALUE'."],
  [/^--cookie-jar$|^--(save|load)-cookies$/, "No cookies are kept; give them by -H 'Cookie: NAME=VALUE'."],
  [/^-D$|^--dump-header$/, 'Header fields are shown by -i before the body, by -I alone, by -v on standard error.'],
  [/^-c$|^--continue$/, 'Going on where a file ends is -C -.'],
  [/^--tries$/, 'Tries after the first one are --retry N.'],
  [/^--no-check-certificate$/, 'Not verifying certificates is -k.'],
  [/^--content-disposition$/, 'The name that the server gives is -OJ.'],
  [/^-P$|^--directory-prefix$/, 'Where files go is --output-dir DIR.'],
]

/** What to do in place of an option that is known elsewhere; undefined for one that is not. */
export function hintFor(typed: string): string | undefined {
  return hints.find(([pattern]) => pattern.test(typed))?.[1]
}
