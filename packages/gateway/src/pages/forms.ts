import type { Form, FormAnswers, FormField } from '@retriever/fetchers/internal'
import { type Content, type Html, html } from '../html.ts'

/** The hidden fields of every form that is sent by POST. */
export function hidden(token: string, url: string): Html {
  return html`<input type="hidden" name="token" value="${token}"><input type="hidden" name="url" value="${url}">`
}

/** A form of a server (Gopher+ ASK, Gemini's input) for people. */
export function serverForm({ fields }: Form, token: string, url: string): Html {
  return html`<form action="/form" method="post">${hidden(token, url)}
${fields.map((field, index) => html`<div>${question(field, `f${index + 1}`)}</div>\n`)}
<p><button>Send</button></p></form>
`
}

function question({ kind, prompt, default: proposal, choices }: FormField, name: string): Content {
  const label = html`<label for="${name}">${prompt || 'Answer'}</label> `
  switch (kind) {
    case 'AskP':
      return html`${label}<input type="password" size="40" id="${name}" name="${name}" autocomplete="off">`
    case 'AskL':
    case 'ChooseF':
      return html`${label}<textarea id="${name}" name="${name}" rows="5" cols="60">${proposal}</textarea>`
    case 'Select':
    case 'Choose':
      return html`<fieldset><legend>${prompt}</legend>${choices.map((choice, index) => {
        const isOn = kind === 'Select' ? choice === proposal : choice === (proposal ?? choices[0])
        const attributes = html`type="${kind === 'Select' ? 'checkbox' : 'radio'}" name="${name}" value="${index}"`
        return html`<label class="choice"><input ${attributes}${isOn ? html` checked` : null}> ${choice}</label>`
      })}</fieldset>`
    default:
      return html`${label}<input id="${name}" name="${name}" value="${proposal}" size="40">`
  }
}

/** The answers of a person to such a form. */
export function answersTo({ fields }: Form, given: URLSearchParams): FormAnswers {
  const answers: Record<string, string | readonly string[]> = {}
  fields.forEach(({ kind, choices }, index) => {
    const values = given.getAll(`f${index + 1}`)
    const [value] = values
    if (kind === 'Select') answers[String(index + 1)] = values.flatMap((at) => choices[Number(at)] ?? [])
    else if (value === undefined) return
    else if (kind === 'Choose') answers[String(index + 1)] = choices[Number(value)] ?? ''
    else answers[String(index + 1)] = kind === 'AskL' ? value.replaceAll('\r\n', '\n') : value
  })
  return answers
}

/** A form for a user and a password of a server. */
export function loginForm(token: string, url: string, user: string): Html {
  return html`<form action="/login" method="post">${hidden(token, url)}
<div><label for="user">User</label> <input id="user" size="40" name="user" value="${user}" autocomplete="off" autocapitalize="off"></div>
<div><label for="password">Password</label> <input id="password" size="40" name="password" type="password" autocomplete="off"></div>
<p><button>Log in</button></p></form>
<p class="soft">The gateway keeps both in its memory for 30 minutes after their last use, for this server alone.</p>
`
}
