// Explains the URL while it is typed. Only @retriever/core is used, which needs no Node.
import { explain, formatExplanation } from '@retriever/core'

const input = document.querySelector('input')
const output = document.querySelector('output')
const show = () => {
  output.textContent = formatExplanation(explain(input.value))
}
input.addEventListener('input', show)
show()
