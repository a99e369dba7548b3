import {
  type Explanation,
  explain,
  octetsToText,
  RetrievalError,
  redact,
  resolve,
  type Unexplained,
} from '@retriever/core'
import { explainUrl } from '@retriever/fetchers'
import { changedUrl } from '../changed-url.ts'
import { exitCodeOfReason, usageError } from '../exit-codes.ts'
import { enteredUrl, loginAtOnce } from '../given-login.ts'
import { proxyOf, withLogin } from '../options/connection/proxies.ts'
import { shownExplanation } from '../options/option-hints.ts'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'
import { urlArgument } from '../url-argument.ts'
import { explanationPage } from '../views/explanation.ts'

/**
 * `retrieve explain URL...`: contacts nothing. The exit code is that of the first URL that is an error or is refused,
 * as its retrieval would be.
 */
export async function explainUrls(run: Run): Promise<number> {
  const { config, output } = run
  if (config.operands.length === 0) throw usageError('No URL is given. Try: retrieve explain --help')
  if (config.continueAt === 'end') throw usageError('-C - begins where a file ends: give explain the place, -C NUMBER.')
  let exit = 0
  for (const [index, operand] of config.operands.entries()) {
    const found = await explained(operand, run)
    const error = 'error' in found ? found.error : found.refused
    if (error !== undefined) exit ||= exitCodeOfReason(error)
    const explanation = shownExplanation(found)
    if (!config.json && index > 0) await output.write('\n')
    await output.write(config.json ? jsonLine(explanation) : explanationPage(explanation, output))
  }
  return exit
}

async function explained(operand: string, run: Run): Promise<Explanation> {
  try {
    return await explainOperand(operand, run)
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return unexplained(operand, error)
  }
}

function unexplained(operand: string, { code, message, span, advice }: RetrievalError): Unexplained {
  return {
    url: redact(operand),
    error: { code, message: redact(message), span: span ?? null, ...(advice && { advice }) },
  }
}

/** Explains a URL with all options of the command line that change what is sent for it. */
async function explainOperand(operand: string, run: Run): Promise<Explanation> {
  const { config, report } = run
  const { resolving, defaultScheme, client, form, continueAt } = config
  const url = urlArgument(operand, { base: resolving.base, defaultScheme }, report)
  const plain = explain(url, resolving)
  // Its message says which host a browser would contact.
  if ('error' in plain) return plain
  const { base: _, ...absolute } = resolving
  const typed = changedUrl(resolve(url, resolving), config, (changed) => resolve(changed, absolute))
  const { base, ...request } = config.request
  const login = loginAtOnce(typed, config)
  const isPart = typed.plan.mechanism === 'message'
  return explainUrl(enteredUrl(typed, config), {
    ...client,
    ...request,
    ...(isPart && base !== undefined && { base }),
    ...(login !== null && { login }),
    ...(form.length > 0 && { form: {} }),
    ...(typeof continueAt === 'number' && { resumeFrom: continueAt }),
    ...(config.cookies !== null && { cookies: await cookiesOf(run) }),
    proxy: proxyFor(typed, config),
  })
}

async function cookiesOf({ config, jar }: Run) {
  const { Cookies } = await import('../cookies/index.ts')
  if (config.cookies === null) throw new TypeError('expected options for cookies')
  return new Cookies(config.cookies, jar)
}

/** The proxy on the way, with the user of -U, whose password is not asked for. */
function proxyFor(typed: ReturnType<typeof resolve>, { proxyFor, proxyLogin }: Run['config']): string | null {
  const proxy = proxyOf(typed, proxyFor)
  if (proxy === null || proxyLogin === null) return proxy
  return withLogin(proxy, { user: octetsToText(proxyLogin.user), password: proxyLogin.password ?? '' })
}
