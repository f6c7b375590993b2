import { unusableWords } from '../../contract/certificate-fault.ts'
import { isForHost } from '../../contract/certificate-host.ts'
import { reaches } from '../../contract/operations/reach.ts'
import type { ServiceChoices } from '../../contract/service-process.ts'
import type { Clock } from '../../platform/clock.ts'
import { createSerial } from '../../platform/serial.ts'
import { inBackground } from '../background.ts'
import type { Clients } from '../http/clients.ts'
import type { Log } from '../log.ts'
import { createDoors, idOf, type DoorFault, type DoorServers, type WantedDoor } from './doors.ts'
import type { KeptCertificate } from './kept-certificate.ts'
import { createLocalName } from './local-name.ts'
import { measure, proxyDoubt, type Present, type ReachResult } from './measure.ts'
import { namedDoorFault } from './named-doors.ts'
import { homeAddresses, inUrl } from './network.ts'
import { createPortMapping, type AskRouter } from './port-mapping.ts'
import type { Probes } from './probes.ts'
import { addressOf, fixedMembers, fixedSettings, takesAway, type Reach, type ReachSettings } from './reach-settings.ts'
import type { ReachStore } from './reach-store.ts'
import type { HeldWrites, OwedReason } from '../storage/held-writes.ts'
import type { Encryption, Told } from './told.ts'
import { plainRoots, proxied, wantedDoors } from './wanted-doors.ts'

/** How often the addresses of this computer are compared with what is open, in ms. */
const lookEvery = 3000

const unchecked: readonly ReachResult[] = reaches.map((reach) => ({ reach, state: 'unchecked' }))

/** How far the service is reached. */
export type ServiceReach = Awaited<ReturnType<typeof createReach>>

/** Takes up the reach of before, or that of the command line; nothing is open until `start`. */
export async function createReach(options: {
  readonly choices: ServiceChoices
  readonly store: ReachStore
  readonly certificate: KeptCertificate
  readonly told: Told
  readonly clients: Pick<Clients, 'trust' | 'isTrusted'>
  readonly probes: Pick<Probes, 'send'>
  /** Ports of the listeners of this computer. */
  readonly port: (listener: 'api' | 'media' | 'rtmp') => number
  readonly clock: Clock
  readonly log: Log
  readonly changed: () => void
  readonly askRouter: AskRouter
  readonly held: Pick<HeldWrites, 'hold'>
}) {
  const { choices, store, certificate, told, clients, probes, port, clock, log, held } = options
  const fixed = fixedSettings(choices)
  let kept = await store.load()
  const settingsNow = (): ReachSettings => ({ ...kept, ...fixed })
  let doors: ReturnType<typeof createDoors> | undefined
  let faults: DoorFault[] = []
  let results: readonly ReachResult[] = unchecked
  let proxyEncryption: Encryption = 'unknown'
  /** When a visit from outside arrived by the present reach. */
  let visited: { readonly at: number; readonly untrusted: string | undefined } | undefined
  let isMeasuring = false
  /** Changes come one after another. */
  const changing = createSerial()
  let work: Promise<void> = Promise.resolve()
  let cancel: (() => void) | undefined
  let isClosed = false
  let [seen, addressesRead] = ['', 0]

  /** What the default router forwards; viewers are not led where another device of the network says. */
  const routed = () => (mapping.state?.otherDevice === undefined ? mapping.state : undefined)
  const follow = (): void => {
    const settings = settingsNow()
    const { reach } = settings
    const [home] = homeAddresses()
    const { address, port: outerPort } = routed() ?? {}
    const door = doors?.list().find(({ name, tls }) => name === 'media' && tls)
    const rtmpDoor = doors?.list().find(({ name, tls }) => name === 'rtmp' && !tls)
    const outer = settings[addressOf(reach)] || undefined
    const isDirect = reach === 'home' && fixed.reach === undefined && home !== undefined
    const media = isDirect
      ? `http://${inUrl(home)}:${port('media')}`
      : reach === 'port'
        ? (outer ??
          (door && `https://${inUrl(choices.publicHost ?? address ?? home ?? '127.0.0.1')}:${outerPort ?? door.port}`))
        : reach === 'proxy'
          ? outer
          : undefined
    const rtmp = rtmpDoor ? `rtmp://${inUrl(rtmpDoor.host)}:${rtmpDoor.port}` : null
    const hosts = [localName.name, reach === 'port' ? address : undefined].filter((host) => host !== undefined)
    told.follow({ media, isDirect, rtmp, hosts })
  }
  const changed = (): void => {
    follow()
    if (!isClosed) options.changed()
  }
  const mapping = createPortMapping({
    clock,
    log,
    changed: () => {
      changed()
      if (mapping.state?.state !== 'asking') measureSoon()
    },
    ask: options.askRouter,
  })
  const localName = createLocalName({ clock, log, changed })

  const tellUrl = (): string => told.addresses(port).media
  const present = (): Present => {
    const settings = settingsNow()
    const open = doors?.list() ?? []
    const tlsDoor = open.find(({ name, tls }) => name === 'media' && tls)
    return {
      settings,
      faults,
      ownPorts: [...(['api', 'media', 'rtmp'] as const).map(port), ...open.map((one) => one.port)],
      ...plainRoots(choices, port('media'), open),
      door: tlsDoor && `https://127.0.0.1:${tlsDoor.port}`,
      unusable: certificate.fault && unusableWords(certificate.fault),
      told: tellUrl(),
      mapping: mapping.state,
      visited: visited?.at,
      untrusted: visited?.untrusted,
    }
  }
  /** The newest measurement; an older one that ends later says nothing any more. */
  let measurement = 0
  const measureAll = async (): Promise<void> => {
    const mine = (measurement += 1)
    isMeasuring = true
    const now = present()
    const measured = await Promise.all(reaches.map((reach) => measure(reach, now, { clock, probes })))
    if (isClosed || mine !== measurement) return
    isMeasuring = false
    results = measured.map(({ result }) => result)
    proxyEncryption = measured.find(({ result }) => result.reach === 'proxy')!.encryption ?? 'unknown'
    changed()
  }
  const measureSoon = (): void => inBackground(measureAll(), log, 'measuring the reach')

  const wanted = (): WantedDoor[] => wantedDoors(settingsNow(), choices, port, clients.isTrusted)
  const placeOf = (): string => homeAddresses().join(' ')
  /** Makes what is open equal to what is chosen. Doors close before anything else takes time. */
  const apply = async (): Promise<void> => {
    if (isClosed || !doors) return
    const { reach, proxies, port: outer, forward, localName: isNamed, certificateFile, keyFile } = settingsNow()
    seen = placeOf()
    clients.trust(proxies)
    const files = certificateFile !== '' && keyFile !== '' ? { certificateFile, keyFile } : undefined
    if (reach !== 'port') inBackground(mapping.set(undefined), log, 'giving back a forwarded port')
    // What is no longer wanted closes before the files are read.
    await doors.set(
      wanted().filter((one) => doors!.list().some(({ host, name }) => host === one.host && name === one.name)),
      certificate.current,
    )
    await certificate.use(files)
    const before = new Set(doors.list().map(idOf))
    faults = await doors.set(wanted(), certificate.current)
    for (const { name, host, port: opened, tls } of doors.list())
      if (!before.has(idOf({ name, host, port: opened, tls })))
        log.info({ door: name, host, port: opened, tls }, 'a door was opened')
    const door = doors.list().find(({ name, tls }) => name === 'media' && tls)
    const forwarded = reach === 'port' && forward && door ? (door.port === 0 ? outer : door.port) : undefined
    inBackground(mapping.set(forwarded), log, 'asking the router')
    inBackground(localName.set(reach === 'home' && isNamed).then(changed), log, 'announcing the local name')
    for (const { door: failed, reason, detail } of faults)
      log.warn(
        { door: failed.name, host: failed.host, port: failed.port, reason, detail },
        'a door could not be opened',
      )
    changed()
    measureSoon()
  }
  const applyInTurn = (): Promise<void> => {
    work = work.then(apply, apply)
    return work
  }
  const look = (): void => {
    cancel = clock.after(lookEvery, () => {
      addressesRead += 1
      // Doors that could not be opened are tried again, with less haste.
      if (placeOf() !== seen || (faults.length > 0 && addressesRead % 10 === 0))
        inBackground(applyInTurn(), log, 'following the addresses of this computer')
      look()
    })
  }

  const encryption = (): Encryption => {
    const { reach } = settingsNow()
    if (reach === 'proxy') return tellUrl().startsWith('https:') ? proxyEncryption : 'none'
    if (reach !== 'port' || !certificate.current) return 'none'
    const host = new URL(tellUrl()).hostname
    return certificate.current.vouched && isForHost(certificate.current, host) ? 'vouched' : 'unvouched'
  }

  return {
    /** Opens what is chosen, once the listeners of this computer are bound. */
    async start(servers: DoorServers) {
      doors = createDoors(servers)
      await applyInTurn()
      const { reach } = settingsNow()
      if (choices.recovery && fixed.reach === undefined && reach !== 'computer')
        log.warn(
          { reach, doors: doors.list().map(({ name, host, port: used }) => `${name} ${inUrl(host)}:${used}`) },
          'the reach is as the database has it; after a copy was put back it may be wider than it was last',
        )
      const fault = await namedDoorFault(faults, choices)
      if (fault) throw fault
      look()
    },
    settings: settingsNow,
    fixed,
    /** Stores changes and makes them true; why they are in force but not on the disk. */
    update: (changes: Partial<ReachSettings>): Promise<OwedReason | undefined> =>
      changing(async () => {
        const before = settingsNow()
        const next = { ...kept, ...changes }
        const isHeld = takesAway(kept, next)
        if (!isHeld) await store.save(next)
        kept = next
        const isElsewhere = [changes.publicUrl, changes.portUrl, changes.port].some((one) => one !== undefined)
        if (before.reach !== settingsNow().reach || isElsewhere) visited = undefined
        results = unchecked
        isMeasuring = true
        const applied = applyInTurn()
        const owed = isHeld
          ? await held.hold(
              'the reach',
              () => store.save(next),
              () => changing(() => store.save(kept)),
            )
          : undefined
        await applied
        return owed
      }),
    /** Measures each reach again. */
    check: measureAll,
    /** A file of the certificate changed. */
    renew: applyInTurn,
    /** A visit from outside arrived; `untrusted`: the proxy that is taken for the visitor. */
    visited(untrusted: string | undefined) {
      const settings = settingsNow()
      const { reach } = settings
      visited = { at: clock.now(), untrusted }
      const doubt = reach === 'proxy' ? proxyDoubt(settings, untrusted) : undefined
      const result: ReachResult = { reach, state: 'works', at: visited.at, url: tellUrl(), ...doubt }
      results = results.map((one) => (one.reach === reach ? result : one))
      changed()
    },
    /** Addresses of this computer's router, which are not outside. */
    own: (): string[] => [routed()?.address ?? []].flat(),
    /** Ports of the doors that are open. */
    doorPorts: (): number[] => (doors?.list() ?? []).map(({ port: used }) => used),
    /** Whether the certificate in use is for a host. */
    isCertificateFor: (host: string): boolean =>
      certificate.current !== undefined && isForHost(certificate.current, host),
    /** What a proxy with a public address of the media side passes on. */
    proxied: (publicUrl: string) => proxied(publicUrl, settingsNow(), choices, port),
    facts() {
      const settings = settingsNow()
      const { reach, rtmp, proxies } = settings
      const publicUrl = settings[addressOf(reach)]
      return {
        reach: reach as Reach as string,
        rtmp,
        url: tellUrl(),
        ...(publicUrl !== '' && { publicUrl }),
        freeHere: !told.isPublic(),
        results: results.map((one) => ({ ...one })),
        ...(isMeasuring && { measuring: true }),
        doors: doors?.list() ?? [],
        encryption: encryption() as string,
        ...certificate.facts(),
        ...mapping.facts(),
        ...(localName.name !== undefined && { localName: localName.name }),
        proxies: [...proxies],
        fixed: fixedMembers(fixed),
      }
    },
    /** Closes every door at once and gives back what was forwarded. */
    async close() {
      isClosed = true
      cancel?.()
      await Promise.all([doors?.close(), mapping.close(), localName.close()])
      await work.catch(() => undefined)
      await doors?.close()
    },
  }
}
