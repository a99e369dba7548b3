/** The colours of a terminal: ECMA-48 8.3.117 (SGR) 30 to 37, then the bright ones, 90 to 97. */
const palette = [
  ...['#3b4252', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#abb2bf'],
  ...['#7f848e', '#ef8a92', '#b3d89c', '#f0d399', '#8cc4f5', '#d7a0e6', '#7fcdd6', '#ffffff'],
]
const foreground = '#d7dae0'
const background = '#1e2127'
const cell = { width: 8.4, height: 19, size: 14 }
const margin = 16

/**
 * An image of a terminal's screen, with a title: lines of text with SGR sequences, as `tmux capture-pane -e -p` prints
 * them.
 */
export function svgOf(screen, columns, title) {
  const lines = screen.split('\n')
  const width = Math.ceil(columns * cell.width + 2 * margin)
  const height = lines.length * cell.height + 2 * margin
  let style = {}
  const rows = lines.map((line, row) => {
    const runs = runsOf(line, style)
    style = runs.style
    return runs.list.map((run) => runSvg(run, row)).join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${title}</title>
<rect width="100%" height="100%" rx="8" fill="${background}"/>
<g font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${cell.size}"
 fill="${foreground}">
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`
}

/** The parts of a line that have one style each, with their columns, and the style at its end. */
function runsOf(line, before) {
  const list = []
  let style = before
  let column = 0
  for (const [, sequence, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (text === undefined) style = styleAfter(style, sequence)
    else list.push({ text, column, style })
    column += [...(text ?? '')].length
  }
  return { list, style }
}

function styleAfter(style, sequence) {
  const codes = sequence.split(';').map(Number)
  let next = style
  while (codes.length > 0) {
    const code = codes.shift()
    if (code === 0) next = {}
    else if (code === 1) next = { ...next, bold: true }
    else if (code === 2) next = { ...next, dim: true }
    else if (code === 4) next = { ...next, underline: true }
    else if (code === 7) next = { ...next, reverse: true }
    else if (code === 22) next = { ...next, bold: false, dim: false }
    else if (code === 24) next = { ...next, underline: false }
    else if (code === 27) next = { ...next, reverse: false }
    else if (code === 38 && codes[0] === 5) next = { ...next, colour: palette[codes.splice(0, 2)[1]] }
    else if (code === 39) next = { ...next, colour: undefined }
    else if (code >= 30 && code <= 37) next = { ...next, colour: palette[code - 30] }
    else if (code >= 90 && code <= 97) next = { ...next, colour: palette[code - 82] }
  }
  return next
}

function runSvg({ text, column, style }, row) {
  if (text.trim() === '' && !style.reverse) return ''
  const length = [...text].length * cell.width
  const x = round(margin + column * cell.width)
  const y = round(margin + row * cell.height)
  const { colour = foreground } = style
  const fill = style.reverse ? background : colour
  const attributes = [
    `x="${x}" y="${round(y + cell.size)}" textLength="${round(length)}"`,
    fill === foreground ? '' : `fill="${fill}"`,
    style.bold ? 'font-weight="bold"' : '',
    style.dim ? 'opacity="0.65"' : '',
    style.underline ? 'text-decoration="underline"' : '',
  ]
  const back = style.reverse
    ? `<rect x="${x}" y="${y}" width="${round(length)}" height="${cell.height}" fill="${colour}"/>`
    : ''
  return `${back}<text ${attributes.filter(Boolean).join(' ')}>${escaped(text)}</text>`
}

const round = (number) => Number(number.toFixed(1))
/** Not every viewer keeps blanks as they are, but all keep no-break spaces. */
const escaped = (text) =>
  text.replaceAll(' ', '\u00A0').replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
