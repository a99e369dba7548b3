import { posix } from 'node:path'

/** A whole page: the menu, with the headings of this page below its own entry, and the content. */
export function pageHtml({ title, html, headings }, address, menu) {
  const to = (other) => posix.relative(posix.dirname(address), other)
  const entry = ({ address: other, title: name }) => {
    const isHere = other === address
    const link = `<a href="${to(other)}"${isHere ? ' aria-current="page"' : ''}>${escaped(name)}</a>`
    return `<li>${link}${isHere ? sections(headings) : ''}</li>`
  }
  const topics = menu.map(({ topic, entries }) => {
    return `<h2>${topic}</h2>\n<ul>\n${entries.map(entry).join('\n')}\n</ul>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title === 'Retriever' ? title : `${title} - Retriever`)}</title>
<link rel="stylesheet" href="${to('style.css')}">
</head>
<body>
<header><a href="${to('index.html')}">Retriever</a><label for="menu">Menu</label></header>
<input type="checkbox" id="menu" aria-label="Menu">
<nav>
${topics.join('\n')}
</nav>
<main>
${html}</main>
</body>
</html>
`
}

/** The sections of the page, if there are some to choose from. */
function sections(headings) {
  const shown = headings.filter(({ level }) => level === 2)
  if (shown.length < 3) return ''
  const links = shown.map(({ title, id }) => `<li><a href="#${id}">${escaped(title)}</a></li>`)
  return `\n<ul>\n${links.join('\n')}\n</ul>`
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
