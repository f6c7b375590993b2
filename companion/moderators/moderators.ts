import type { ListenerBounds } from '../../platform/bounded-listener.ts'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { readFingerprint, writeInvitation } from '../../contract/invitation.ts'
import type { Invitation, RevokeStep, RpcInputs, Seat, SeatBoard, SeatListener } from '../../contract/rpc/index.ts'
import { inBackground } from '../background.ts'
import { Failure, reasonOf as messageOf } from '../failure.ts'
import { listenReason } from '../listen-reason.ts'
import { createCompanionBounds } from '../listener-bounds.ts'
import { openAssets } from '../page/assets.ts'
import { createPageServer, type PageServer } from '../page/page-server.ts'
import type { Relay } from '../relay/relay.ts'
import type { Line } from '../lines/connection.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { fromVault, type Vault } from '../secrets/vault.ts'
import {
  type Certificate,
  type CertificateFacts,
  CertificateFault,
  makeCertificate,
  ownAddresses,
  readCertificate,
} from './certificate.ts'
import { openSeatStore } from './seat-document.ts'
import type { MadeInvitation } from './seat-invitations.ts'
import { createSeats, type SeatPorts } from './seats.ts'
import { createSerial } from '../../platform/serial.ts'

type Input = RpcInputs['seats']

/** Moderators on other computers, and their listener. Throws Failure. */
export type Moderators = Awaited<ReturnType<typeof openModerators>>

/** Serves the RPC of a moderator's page. */
type ServePage = (line: Line, seat: ConnectedSeat) => { end(): void }

interface ModeratorPorts extends Omit<SeatPorts, 'document' | 'changed'> {
  readonly dataDir: string
  readonly vault: Vault
  readonly entryName: (name: string) => string
  readonly pageDir: string | undefined
  readonly relay: Relay
  /** The usual ones when absent. */
  readonly bounds?: ListenerBounds | undefined
  readonly changed: (board: SeatBoard) => void
}

/** Pages of all moderators, and of one. */
const maxPages = 64
const pagesOfSeat = 8
const everywhere = '0.0.0.0'
const loopback = '127.0.0.1'

/** Opens the seats; a damaged file is quarantined. */
export async function openModerators(ports: ModeratorPorts) {
  const { clock, vault, log } = ports
  const bounds = ports.bounds ?? createCompanionBounds({ log }).moderators
  let told = (): void => undefined
  const document = await openSeatStore({ dataDir: ports.dataDir, clock, log, changed: () => told() })
  const keyEntry = ports.entryName('seats-certificate-key')
  let server: PageServer | undefined
  let serve: ServePage | undefined
  let reason: ReasonOf<'listener'> | null = null
  let facts: CertificateFacts | undefined
  const opened = new Set<{ readonly profileId: string; readonly look: () => Promise<void> }>()

  const tell = (): void => ports.changed(board())
  const seats = createSeats({ ...ports, document, changed: tell })
  const urls = (): string[] => {
    const { open, port } = document.value().listening
    const at = server?.port ?? port
    const scheme = open ? 'https' : 'http'
    return (open ? [...ownAddresses(), loopback] : [loopback]).map((host) => `${scheme}://${host}:${at}`)
  }
  const listener = (): SeatListener => {
    const { listening, certificate } = document.value()
    return {
      phase: server ? 'listening' : listening.on && reason !== null ? 'failed' : 'off',
      open: listening.open,
      port: server?.port ?? listening.port,
      urls: server ? urls() : [],
      reason,
      certificate: certificate?.origin ?? 'none',
      fingerprint: facts?.fingerprint ?? null,
      certificateUntil: facts?.until ?? null,
      failures: seats.failures(),
    }
  }
  const unwritten = (): SeatBoard['unwritten'] => {
    const left = document.unwritten()
    const nameOf = (id: string): string[] =>
      document.value().seats.flatMap((seat) => (seat.id === id ? [seat.name] : []))
    return left && { names: left.ids.flatMap(nameOf), lasting: left.marked, reason: left.reason }
  }
  const board = (): SeatBoard => ({ listener: listener(), seats: seats.all(), unwritten: unwritten() })
  const inTurn = createSerial()
  const kept = async (): Promise<Certificate> => {
    const cert = document.value().certificate?.cert
    const key = cert === undefined ? undefined : await vault.get(keyEntry)
    if (cert === undefined) throw new CertificateFault(reasonOf('listener', 'noCertificate'))
    if (key === undefined) throw new CertificateFault(reasonOf('listener', 'noKey'))
    return { cert, key }
  }
  const attach = (line: Line, session: string): void => {
    const seat = seats.of(session)
    if (!seat || !serve) return line.close()
    let cid: string | null = null
    let moving = new AbortController()
    const { id, profileId, roomid, accid, name } = seat
    const look = async (): Promise<void> => {
      const found = await ports.channel(profileId, roomid).catch(() => cid)
      if (found === cid) return
      cid = found
      moving.abort()
      moving = new AbortController()
    }
    const one = { profileId, look }
    opened.add(one)
    const ready = look()
    const more = { ready, cid: () => cid, moved: () => moving.signal, did: (what: string) => seats.did(id, what) }
    const page = serve(line, { id, profileId, roomid, accid, name, ...more })
    const closed = seats.opened(id, () => page.end())
    line.onClose(() => {
      opened.delete(one)
      closed()
    })
  }
  const lookAgain = async (profileId: string): Promise<void> => {
    await Promise.all([
      seats.relinked(profileId),
      ...[...opened].filter((page) => page.profileId === profileId).map((page) => page.look()),
    ])
  }
  const stop = async (): Promise<void> => {
    const running = server
    server = undefined
    await running?.close()
  }
  const start = async (): Promise<void> => {
    const { on, open, port } = document.value().listening
    reason = null
    if (!on) return
    if (ports.pageDir === undefined) {
      reason = reasonOf('listener', 'noPage')
      return log('the listener of moderators did not start: this shell has no page to serve')
    }
    const host = open ? everywhere : loopback
    try {
      const tls = open ? await kept() : undefined
      facts = tls ? readCertificate(tls, clock.now()) : facts
      server = await createPageServer({
        assets: await openAssets(ports.pageDir),
        relay: ports.relay,
        authority: {
          trade: (body, from, device) => seats.signIn(body, from, device),
          holder: (session) => seats.of(session)?.id,
          authMethod: 'account',
          leave: (session) => seats.signOut(session),
          wait: (body, from) => seats.wait(body, from),
        },
        attach,
        host,
        port,
        // Under TLS the certificate names us; names of port forwards and VPNs are unknown here.
        names: () => [loopback, 'localhost', ...(open ? [...ownAddresses(), ...(facts?.names ?? [])] : [])],
        ...(tls ? { tls } : {}),
        bounds,
        maxPages,
        pagesOfHolder: pagesOfSeat,
      })
    } catch (error) {
      reason = error instanceof CertificateFault ? error.reason : listenReason(error, host, port)
      log(`the listener of moderators did not start: ${messageOf(error)}`)
    }
  }
  const again = async (): Promise<SeatListener> => {
    await stop()
    await start()
    tell()
    return listener()
  }
  const keep = async (certificate: Certificate, origin: 'made' | 'supplied'): Promise<SeatListener> => {
    facts = readCertificate(certificate, clock.now())
    await fromVault(vault.set(keyEntry, certificate.key))
    await document.change(() => ({ certificate: { cert: certificate.cert, origin } }))
    return again()
  }
  const handedOver = ({ seat, code, token }: MadeInvitation): Invitation => {
    const shown = seats.all().find(({ id }) => id === seat.id)
    if (!shown) throw new Failure('absent', 'the seat is gone')
    const [at] = server ? urls() : []
    if (at === undefined) return { seat: shown, code, token, link: null, appLink: null }
    const fingerprint = document.value().listening.open && facts ? (readFingerprint(facts.fingerprint) ?? null) : null
    const appLink = writeInvitation({ host: new URL(at).host, fingerprint, code, accid: seat.accid })
    return { seat: shown, code, token, link: `${at}/#code=${code}`, appLink }
  }
  const { certificate } = document.value()
  if (certificate)
    facts = await kept()
      .then((both) => readCertificate(both, clock.now()))
      .catch(() => undefined)
  told = tell
  tell()

  return {
    board,
    invite: async (profileId: string, roomid: number, accid: string, name: string): Promise<Invitation> =>
      handedOver(await seats.invite(profileId, roomid, accid, name)),
    inviteAgain: async (id: string): Promise<Invitation> => handedOver(await seats.inviteAgain(id)),
    revoke: (id: string): Promise<{ seat: Seat; steps: RevokeStep[] }> => seats.revoke(id),
    /** The profile's service is back: pending steps and channels are tried again. */
    serviceBack: (profileId: string) => {
      seats.serviceBack(profileId)
      inBackground(lookAgain(profileId), ports.log, 'looking for the channels of moderators')
    },
    forget: ({ id }: Input['forget']) => seats.forget(id),
    forgetProfile: (profileId: string) => seats.forgetProfile(profileId),
    /** Rooms have other channels: open pages follow. */
    relinked: lookAgain,
    listen: (wanted: { readonly on: boolean; readonly open: boolean; readonly port: number }): Promise<SeatListener> =>
      inTurn(async () => {
        if (wanted.on && wanted.open) await kept()
        await document.change(() => ({ listening: { on: wanted.on, open: wanted.open, port: wanted.port } }))
        return again()
      }),
    makeCertificate: ({ names }: Input['makeCertificate']): Promise<SeatListener> =>
      inTurn(async () => keep(await makeCertificate(names, clock.now()), 'made')),
    useCertificate: (supplied: Certificate): Promise<SeatListener> => inTurn(() => keep(supplied, 'supplied')),
    /** Listens again as when the app ended. */
    resume: (pages: ServePage) => {
      serve = pages
      return inTurn(async () => {
        await start()
        tell()
      })
    },
    close: () =>
      inTurn(async () => {
        seats.close()
        await stop()
        await document.close()
      }),
  }
}
