import { isForAnybody, isOnInternet } from '../../contract/public-addresses.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DoorFault } from './doors.ts'
import type { MappingState } from './port-mapping.ts'
import type { CertificateFault, Probes } from './probes.ts'
import type { Reach, ReachSettings } from './reach-settings.ts'
import type { Encryption } from './told.ts'

/** Why viewers are taken for each other or for whom they say they are, though the address works. */
interface ProxyDoubt {
  readonly reason: 'proxyUntrusted' | 'proxyAnybody'
  readonly detail: string
}

/** What was measured of a reach. */
export interface ReachResult {
  readonly reach: Reach
  readonly state: 'works' | 'closed' | 'unchecked' | 'fault'
  readonly reason?:
    | 'portClosed'
    | 'noMapping'
    | 'taken'
    | 'ownPort'
    | 'denied'
    | 'noCertificate'
    | CertificateFault
    | 'noAddress'
    | 'noRouter'
    | 'noPublicAddress'
    | 'noPublicUrl'
    | 'name'
    | 'proxyAbsent'
    | ProxyDoubt['reason']
  readonly detail?: string
  readonly at?: number
  readonly url?: string
}

/** What the reach is now, for its measurement. */
export interface Present {
  readonly settings: ReachSettings
  readonly faults: readonly DoorFault[]
  /** Ports of every listener of this service. */
  readonly ownPorts: readonly number[]
  /** Roots by which this computer reaches its own listeners. */
  readonly own: string
  readonly home: string | undefined
  readonly door: string | undefined
  /** Why the files of the certificate cannot be used. */
  readonly unusable: string | undefined
  /** Root as others reach it. */
  readonly told: string
  readonly mapping: MappingState | undefined
  /** When a visit from outside arrived by the present reach. */
  readonly visited: number | undefined
  /** The proxy that was taken for its visitor. */
  readonly untrusted: string | undefined
}

/** A result, and what it tells of the encryption. */
export interface Measured {
  readonly result: ReachResult
  readonly encryption?: Encryption
}

/** What is wrong of the proxies that are trusted, where one answers that is taken for the client. */
export function proxyDoubt({ proxies }: ReachSettings, untrusted: string | undefined): ProxyDoubt | undefined {
  const range = proxies.find(isForAnybody)
  if (range !== undefined) return { reason: 'proxyAnybody', detail: range }
  return untrusted === undefined ? undefined : { reason: 'proxyUntrusted', detail: untrusted }
}

/** Measures one reach from this computer; only what is open is asked. */
export async function measure(
  reach: Reach,
  present: Present,
  { clock, probes }: { readonly clock: Clock; readonly probes: Pick<Probes, 'send'> },
): Promise<Measured> {
  const { settings, faults, told, mapping, visited } = present
  const at = (): number => clock.now()
  const works = (url: string, when = at()): Measured => ({ result: { reach, state: 'works', at: when, url } })
  const fault = (reason: NonNullable<ReachResult['reason']>, detail = '', url?: string): Measured => ({
    result: {
      reach,
      state: 'fault',
      reason,
      at: at(),
      ...(detail !== '' && { detail }),
      ...(url !== undefined && { url }),
    },
  })
  if (reach === 'computer') {
    const outcome = await probes.send(present.own)
    return outcome.kind === 'arrived' ? works(present.own) : fault('portClosed', outcome.detail, present.own)
  }
  if (settings.reach !== reach) return { result: { reach, state: 'closed' } }
  const broken = faults.find(({ door }) => door.name === 'media')
  if (broken?.reason === 'noCertificate' && present.unusable !== undefined)
    return fault('certificate', present.unusable)
  const isOwn = broken?.reason === 'taken' && present.ownPorts.includes(broken.door.port)
  if (broken) return fault(isOwn ? 'ownPort' : broken.reason, broken.detail)

  if (reach === 'home') {
    if (present.home === undefined) return fault('noAddress')
    const outcome = await probes.send(present.home)
    return outcome.kind === 'arrived' ? works(present.home) : fault('portClosed', outcome.detail, present.home)
  }
  if (reach === 'port') {
    if (present.door === undefined) return fault('noCertificate')
    const here = await probes.send(present.door, { unverified: true })
    if (here.kind !== 'arrived') return fault('portClosed', here.detail, told)
    if (mapping?.state === 'failed' && visited === undefined) return fault(mapping.reason!, mapping.detail, told)
    // The router may tell a public address yet.
    if (!isOnInternet(told))
      return mapping?.state === 'asking' ? { result: { reach, state: 'unchecked' } } : fault('noPublicUrl')
    if (visited !== undefined) return works(told, visited)
    // Of outside it says something only to arrive by the router's public address, which many do not lead back; a
    // name that may stand for this computer or its network says nothing.
    const outcome = await probes.send(told, { unverified: true })
    if (outcome.kind === 'name') return fault('name', outcome.detail, told)
    const isForwarded = mapping?.state === 'open' && mapping.otherDevice === undefined
    const isByRouter = isForwarded && new URL(told).hostname === mapping.address
    if (outcome.kind === 'arrived' && isByRouter) return works(told)
    return { result: { reach, state: 'unchecked', url: told } }
  }
  if (settings.publicUrl === '') return fault('noPublicUrl')
  const behind = (untrusted: string | undefined, when = at()): Measured => ({
    result: { ...works(told, when).result, ...proxyDoubt(settings, untrusted) },
  })
  const outcome = await probes.send(told)
  if (outcome.kind === 'arrived')
    return { ...behind(outcome.untrusted), encryption: told.startsWith('https:') ? 'vouched' : 'none' }
  if (outcome.kind !== 'name' && outcome.kind !== 'other') {
    const again = await probes.send(told, { unverified: true })
    const found = again.kind === 'arrived' ? fault(outcome.kind, outcome.detail, told) : undefined
    return found ? { ...found, encryption: 'unvouched' } : fault('proxyAbsent', outcome.detail, told)
  }
  // A home network may be unable to reach its own public address; a visit from outside has precedence.
  if (visited !== undefined) return behind(present.untrusted, visited)
  return fault(outcome.kind === 'name' ? 'name' : 'proxyAbsent', outcome.detail, told)
}
