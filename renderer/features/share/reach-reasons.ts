import type { Answer } from '../../../contract/operation.ts'
import type { local } from '../../../contract/operations/index.ts'

type Reach = Answer<typeof local.reach>['ret']

/** Why a way does not work, as far as the sheet has words for it. */
export const reachReasons = [
  'portClosed',
  'noMapping',
  'taken',
  'denied',
  'noCertificate',
  'certificate',
  'noAddress',
  'noRouter',
  'noPublicAddress',
  'noPublicUrl',
  'name',
  'proxyAbsent',
] as const

/** Whether browsers on this computer are let in whatever is set: until people on the internet have an address. */
export const isFreeHere = ({ reach }: Pick<Reach, 'reach'>): boolean => reach === 'computer' || reach === 'home'

/** Why the link of the present reach would lead nowhere; null while it may work. */
export function missingOf({
  reach,
  results,
  doors,
  publicUrl,
  url,
  measuring,
}: Reach): (typeof reachReasons)[number] | 'other' | 'measuring' | null {
  const { state, reason, url: measured } = results.find((one) => one.reach === reach) ?? {}
  // After a change nothing is known of the way until its first result, which has its address.
  if (reach !== 'computer' && measuring && state === 'unchecked' && measured === undefined) return 'measuring'
  if (state === 'works') return null
  if (state === 'fault') return reachReasons.find((one) => one === reason) ?? 'other'
  if (reach === 'home') return isHere(url) ? 'noAddress' : null
  if (reach === 'port') return doors.some(({ name }) => name === 'media') ? null : 'noCertificate'
  return reach === 'proxy' && publicUrl === undefined && isHere(url) ? 'noPublicUrl' : null
}
const isHere = (url: string): boolean => /^(?:localhost|127\..*|\[::1\])$/.test(URL.parse(url)?.hostname ?? 'localhost')
