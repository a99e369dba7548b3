/** The style of all pages: light and dark, for narrow and wide screens. */
export const style = `:root { color-scheme: light dark; --text: #1b1b1f; --back: #fdfdfb; --soft: #5a5a66; --line: #d5d5dc;
  --link: #0b4fb3; --seen: #6a3a96; --box: #f1f1f4; --warn: #8a3b00; --warned: #fff3e6 }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8ec; --back: #17181c; --soft: #a9a9b6; --line: #3a3b44;
  --link: #8db8ff; --seen: #cba6f0; --box: #22242b; --warn: #ffb47a; --warned: #33261b } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 62rem; padding: 0 1rem 3rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--text); background: var(--back); overflow-wrap: anywhere }
a { color: var(--link) } a:visited { color: var(--seen) }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible,
summary:focus-visible, main:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .3rem }
header { border-bottom: 1px solid var(--line); padding: .7rem 0; margin-bottom: 1rem }
header form { display: flex; gap: .5rem; align-items: center }
header input { flex: 1; min-width: 0 }
nav { margin: .5rem 0 0; color: var(--soft) }
h1 { font-size: 1.35rem; line-height: 1.3; margin: .5rem 0 1rem } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem }
h3 { font-size: 1rem }
input, textarea, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--soft);
  border-radius: .3rem; padding: .35rem .6rem; max-width: 100% }
button { background: var(--box); cursor: pointer }
label { display: block; margin: .6rem 0 .2rem } label.choice { display: flex; gap: .5rem; align-items: baseline; margin: .2rem 0 }
fieldset { border: 1px solid var(--line); border-radius: .3rem; margin: .8rem 0 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; vertical-align: top; border-bottom: 1px solid var(--line) }
td.size, th.size { text-align: right; white-space: nowrap } td.date { white-space: nowrap; color: var(--soft) }
pre, .menu, code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }
pre { white-space: pre-wrap; font-size: .92rem; line-height: 1.4 }
pre.wide { white-space: pre; overflow-x: auto }
.menu, .threads { list-style: none; padding: 0; margin: 0 } .menu li { white-space: pre-wrap; font-size: .92rem }
.menu .kind { display: inline-block; width: 4.7rem; color: var(--soft) }
.menu form { display: inline } .menu label { display: inline; margin: 0 .6rem 0 0 }
.threads li { padding: .25rem 0; border-bottom: 1px solid var(--line) }
.d1 { margin-left: 1rem } .d2 { margin-left: 2rem } .d3 { margin-left: 3rem } .d4 { margin-left: 4rem }
.links a { margin-right: 1.5rem }
.soft { color: var(--soft) } .number { text-align: right }
details { margin: .6rem 0 } summary { cursor: pointer; color: var(--soft) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0 0 1rem } dt { color: var(--soft) }
dd { margin: 0 }
blockquote { border-left: 3px solid var(--line); margin: .5rem 0; padding-left: 1rem; color: var(--soft) }
.warning { background: var(--warned); border-left: 4px solid var(--warn); padding: .6rem 1rem; margin: .8rem 0 }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .6rem; color: var(--soft); font-size: .9rem }
@media (max-width: 40rem) { .wide-only { display: none } dl { grid-template-columns: 1fr } dd { margin-left: 1rem }
  .menu .kind { width: auto } th, td { padding-right: .5rem } }
`
