import { type AccessPlan, builtinSchemes, type Mechanism, type Scheme } from '@retriever/core'

/** A mechanism that has no built-in fetcher. */
export const ownMechanism = 'own' as Mechanism

const [http] = builtinSchemes.filter(({ name }) => name === 'http') as [Scheme]

/** A scheme of that mechanism, with URLs like those of http. */
export const ownScheme: Scheme = {
  ...http,
  name: 'own',
  hint: 'Give the client a fetcher for it.',
  mechanism: ownMechanism,
  resolve: (locator, place) => ({ ...http.resolve(locator, place), mechanism: ownMechanism }) as AccessPlan,
}
