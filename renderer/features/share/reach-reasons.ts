import type { Answer } from '../../../contract/operation.ts'
import type { local } from '../../../contract/operations/index.ts'
import { isOnInternet } from '../../../contract/public-addresses.ts'

type Reach = Answer<typeof local.reach>['ret']

/** Why a way does not work, as far as the sheet has words for it. */
export const reachReasons = [
  'portClosed',
  'noMapping',
  'taken',
  'ownPort',
  'denied',
  'noCertificate',
  'certificate',
  'certificateName',
  'certificateAuthority',
  'noAddress',
  'noRouter',
  'noPublicAddress',
  'noPublicUrl',
  'name',
  'proxyAbsent',
] as const

/** What is wrong of trusted proxies, where the address works. */
const doubts = ['proxyUntrusted', 'proxyAnybody'] as const

/** That of the proxy, with the address or range that it is about; null where nothing is wrong or it does not work. */
export function doubtOf({ reach, results }: Pick<Reach, 'reach' | 'results'>) {
  const { state, reason, detail = '' } = results.find((one) => one.reach === 'proxy') ?? {}
  const doubt = reach === 'proxy' && state === 'works' ? doubts.find((one) => one === reason) : undefined
  return doubt === undefined ? null : { doubt, address: detail }
}

/** Why the link of the present reach would lead nowhere; null while it may work. */
export function missingOf({
  reach,
  results,
  doors,
  url,
  measuring,
}: Reach): (typeof reachReasons)[number] | 'other' | 'measuring' | null {
  const { state, reason, url: measured } = results.find((one) => one.reach === reach) ?? {}
  // After a change nothing is known of the way until its first result, which has its address.
  if (reach !== 'computer' && measuring && state === 'unchecked' && measured === undefined) return 'measuring'
  if (state === 'fault') return reachReasons.find((one) => one === reason) ?? 'other'
  if (reach === 'port' && doors.some(({ name }) => name === 'media') && !isOnInternet(url)) return 'noPublicUrl'
  if (reach === 'proxy' && isHere(url)) return 'noPublicUrl'
  if (state === 'works') return null
  if (reach === 'home') return isHere(url) ? 'noAddress' : null
  if (reach === 'port') return doors.some(({ name }) => name === 'media') ? null : 'noCertificate'
  return null
}

/** Who alone gets to the address of a proxy that is not of the internet. */
export function nearOf({ reach, publicUrl }: Pick<Reach, 'reach' | 'publicUrl'>): 'computer' | 'network' | null {
  if (reach !== 'proxy' || publicUrl === undefined || isOnInternet(publicUrl)) return null
  return isHere(publicUrl) ? 'computer' : 'network'
}
const isHere = (url: string): boolean =>
  /^(?:(?:.+\.)?localhost\.?|127\.[\d.]+|\[::1\])$/.test(URL.parse(url)?.hostname ?? 'localhost')
