import type { Fields } from '../field.ts'
import { membersFault } from '../validate.ts'
import type { LinkFaults } from './client.ts'
import { linkPushes, linkRequests } from './frames.ts'

/** Why something is none of these pushes; undefined for one of them. Without values, but with the name of its kind. */
export function pushFault(value: unknown, pushes: Readonly<Record<string, Fields>> = linkPushes): string | undefined {
  const t = typeof value === 'object' && value !== null && 't' in value ? value.t : undefined
  if (typeof t !== 'string') return 'a push without a kind'
  const members = Object.hasOwn(pushes, t) ? pushes[t] : undefined
  return members ? membersFault(members, value, t) : `a push of the unknown kind ${JSON.stringify(t.slice(0, 40))}`
}

/** The contract of the link, for a client of a service that may be of another version. */
export const linkFaults: LinkFaults = {
  push: (push) => pushFault(push),
  answer: (kind, answer) => membersFault(linkRequests[kind].answer, answer, kind),
}
