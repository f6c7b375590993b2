import type { Publication } from '../hub/hub.ts'
import type { StreamAddress } from './ingest-address.ts'
import { publishRefused, wrongKey } from './rtmp-answers.ts'
import type { SessionHost } from './rtmp-session-host.ts'

/** Admits a publisher and begins its push. Returns the farewell of a refused one; the log and the hub know why. */
export function beginPublication<Session extends { readonly remote: string }>(
  host: SessionHost<Session>,
  session: Session,
  address: StreamAddress,
  encoder: string | undefined,
): Publication | Buffer {
  const { hub, gate, log, strangerLines } = host
  const { remote } = session
  const { cid } = address
  const admission = gate.admit(cid, address)
  if (!admission.ok) {
    const { remedy, reason } = admission
    const about = { ...(remedy !== 'unknown' && { cid }), remote, remedy }
    strangerLines.line((leftOut) => log.info({ ...about, ...leftOut }, 'a push was refused'))
    if (remedy !== 'unknown') hub.refused(cid, remedy, reason, remote)
    // Without a key, a peer does not learn whether the channel exists.
    return publishRefused('Rejected', remedy === 'unknown' || remedy === 'key' ? wrongKey : reason)
  }
  if (!host.admit(session, 'publisher')) return publishRefused('Failed', 'Too many encoders are on air here.')
  const publication = hub.publish(cid, { remote, ...(encoder !== undefined && { encoder }) })
  if (publication !== 'busy') return publication
  host.released(session)
  const text = 'Another encoder is on air with this stream key.'
  hub.refused(cid, 'busy', text, remote)
  return publishRefused('BadName', text)
}
