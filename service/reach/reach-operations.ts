import { unusableWords } from '../../contract/certificate-fault.ts'
import { foundFaults } from '../../contract/found-faults.ts'
import { local } from '../../contract/operations/index.ts'
import { readPublicAddress } from '../../contract/public-addresses.ts'
import { reaches } from '../../contract/operations/reach.ts'
import { visitPath } from '../../contract/watch.ts'
import type { Clock } from '../../platform/clock.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { inForce } from '../storage/held-writes.ts'
import { loadCertificate } from './certificate.ts'
import type { ServiceReach } from './reach.ts'
import { addressOf, changesFault, type ReachSettings } from './reach-settings.ts'
import { proxySnippet } from './snippet.ts'
import type { Visits } from './visits.ts'

/** Paths that need no quoting in the configuration of a proxy. */
const plainPath = /^[A-Za-z0-9._~/-]*$/

/** Handlers of the extension operations on the reach, for the service's own application only. */
export function reachOperations(options: {
  readonly reach: ServiceReach
  readonly clock: Clock
  readonly visits: Visits
  /** Whether an application is the service's own, that of the computer's owner. */
  readonly isMain: (uid: number) => boolean
  /** Throws when a channel is not of an application. */
  readonly requireChannel: (uid: number, cid: string) => void
}): Served[] {
  const { reach, clock, visits, isMain, requireChannel } = options
  const owned = (uid: number): void => {
    if (!isMain(uid)) throw new Refused(631, 'the reach is of the service’s own application')
  }
  /** Why the files of a certificate that changes name cannot be used, in words; one of them may be set already. */
  const unusableFiles = async (changes: Partial<ReachSettings>): Promise<string | undefined> => {
    const { certificateFile, keyFile } = { ...reach.settings(), ...changes }
    const isNamed = changes.certificateFile !== undefined || changes.keyFile !== undefined
    if (!isNamed) return undefined
    const missing = certificateFile === '' ? 'certificateFile' : keyFile === '' ? 'keyFile' : undefined
    if (missing !== undefined) return `${missing} ${foundFaults.pair}`
    const found = await loadCertificate({ certificateFile, keyFile }, clock.now())
    if (!('reason' in found)) return undefined
    const isOfKey = ['unreadableKey', 'otherKey'].includes(found.reason) || found.file !== certificateFile
    return `${isOfKey ? 'keyFile' : 'certificateFile'}: ${unusableWords(found)}`
  }
  const mutable = ({ steps, ...facts }: ReturnType<Visits['list']>[number]) => ({
    ...facts,
    steps: steps.map((step) => ({ ...step })),
  })
  return [
    serve(local.reach, (_parameters, { application: { uid } }) => {
      owned(uid)
      return { ret: reach.facts() }
    }),
    serve(local.updateReach, async (given, { application: { uid } }) => {
      owned(uid)
      const { reach: name, publicUrl, ...rest } = given
      const known = reaches.find((one) => one === name)
      const changes: Partial<ReachSettings> = {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
        ...(known && { reach: known }),
        ...(publicUrl !== undefined && {
          [addressOf(known ?? reach.settings().reach)]: readPublicAddress('media', publicUrl) ?? publicUrl,
        }),
      }
      const fault = changesFault(changes, reach.fixed)
      if (fault !== undefined) throw new Refused(631, fault)
      const unusable = await unusableFiles(changes)
      if (unusable !== undefined) throw new Refused(631, unusable)
      const owed = await reach.update(changes)
      return { ret: reach.facts(), ...inForce(owed) }
    }),
    serve(local.checkReach, async (_parameters, { application: { uid } }) => {
      owned(uid)
      await reach.check()
      return { ret: reach.facts() }
    }),
    serve(local.startVisit, ({ cid }, { application: { uid } }) => {
      requireChannel(uid, cid)
      const { mark, facts } = visits.start(uid, cid)
      return { ret: { ...mutable(facts), url: `${reach.facts().url}${visitPath}${mark}` } }
    }),
    serve(local.visits, (_parameters, { application: { uid } }) => ({ ret: { list: visits.list(uid).map(mutable) } })),
    serve(local.proxySnippet, ({ server, publicUrl: given }, { application: { uid } }) => {
      owned(uid)
      const { publicUrl: set, certificateFile, keyFile } = reach.settings()
      const publicUrl = readPublicAddress('media', given ?? set)
      if (publicUrl === undefined || !plainPath.test(new URL(publicUrl).pathname))
        throw new Refused(631, `publicUrl ${foundFaults.publicAddress}`)
      // Files of another name would be refused by every browser.
      const isOfName = certificateFile !== '' && keyFile !== '' && reach.isCertificateFor(new URL(publicUrl).hostname)
      const certificate = isOfName ? { certificateFile, keyFile } : undefined
      const snippet = proxySnippet(server === 'nginx' ? 'nginx' : 'caddy', {
        publicUrl,
        ...reach.proxied(publicUrl),
        certificate,
      })
      return { ret: { ...snippet } }
    }),
  ]
}
