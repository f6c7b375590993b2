import type { Publication } from '../hub/publication.ts'
import type { StreamAddress } from './ingest-address.ts'
import * as answer from './rtmp-answers.ts'
import type { SessionHost } from './rtmp-session-host.ts'

type Host = Pick<SessionHost<never>, 'hub' | 'gate' | 'begin' | 'log' | 'strangerLines'>

/** The farewell of a push that the gate refuses; undefined when it is let in. The log and the hub are told why. */
export function refusalOf(host: Host, address: StreamAddress, remote: string): Buffer | undefined {
  const { hub, gate, log, strangerLines } = host
  const { cid } = address
  const admission = gate.admit(cid, address)
  if (admission.ok) return undefined
  const { remedy, reason } = admission
  const about = { ...(remedy !== 'unknown' && { cid }), remote, remedy }
  strangerLines.line((leftOut) => log.info({ ...about, ...leftOut }, 'a push was refused'))
  if (remedy !== 'unknown') hub.refused(cid, remedy, reason, remote)
  // Without a key, a peer does not learn whether the channel exists.
  return answer.publishRefused('Rejected', remedy === 'unknown' || remedy === 'key' ? answer.wrongKey : reason)
}

/** The farewell of a push of a channel that another encoder has on air. */
export function busyRefusal({ hub }: Pick<Host, 'hub'>, cid: string, remote: string): Buffer {
  const text = 'Another encoder is on air with this stream key.'
  hub.refused(cid, 'busy', text, remote)
  return answer.publishRefused('BadName', text)
}

/**
 * Begins a push: at once, or where there are other nodes, once they have been asked. `begun` gets it, or the farewell
 * of a refused one.
 */
export function beginPush(
  host: Host,
  address: StreamAddress,
  peer: {
    readonly remote: string
    /** Whether it wants no push any more. */
    readonly isGone: () => boolean
    readonly begin: () => Publication | Buffer
    readonly asking: (isAsking: boolean) => void
    readonly begun: (publication: Publication | Buffer) => void
    readonly failed: () => void
  },
): void {
  const { begin, log } = host
  const { remote } = peer
  if (!begin) return peer.begun(peer.begin())
  // Strangers have nobody asked.
  const refused = refusalOf(host, address, remote)
  if (refused) return peer.begun(refused)
  const answered = (begun: Publication | Buffer | 'busy' | 'gone'): void => {
    if (peer.isGone() || begun === 'gone') return
    peer.begun(begun === 'busy' ? busyRefusal(host, address.cid, remote) : begun)
  }
  const begun = begin(address.cid, () => (peer.isGone() ? ('gone' as const) : peer.begin()))
  if (!(begun instanceof Promise)) return answered(begun)
  peer.asking(true)
  begun
    .finally(() => peer.asking(false))
    .then(answered, (error: unknown) => {
      log.warn({ err: error, cid: address.cid }, 'a push could not be begun')
      peer.failed()
    })
}
