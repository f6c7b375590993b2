import { pause, type Clock } from '../../platform/clock.ts'
import { linkClose, linkLimits, type LinkAnswer, type LinkParameters } from '../../contract/link/frames.ts'
import type { TimeBudget } from '../http/time-budget.ts'
import type { Connection } from './connection.ts'
import type { LogInAttempt } from './login-throttle.ts'
import type { Acks } from './acks.ts'
import { recordTypes, type LoginAudit } from './login-audit.ts'
import type { ClientFrame } from './requests.ts'
import { createSession, type Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import type { LinkAccounts, LinkApplication, LinkStream } from './ports.ts'
import { readRequest } from './handlers.ts'

/** What a log-in uses. */
export interface LogInSources {
  readonly applications: { byKey(appKey: string): LinkApplication | undefined }
  readonly accounts: LinkAccounts
  readonly stream: LinkStream
  readonly received: Pick<Acks, 'settle'>
  readonly sessions: Pick<Sessions, 'add' | 'of'> & Partial<Pick<Sessions, 'stayingElsewhere'>>
  readonly records: Pick<LoginAudit, 'note'>
  readonly throttle: {
    attempt(address: string, account: string): LogInAttempt | undefined | Promise<LogInAttempt | undefined>
  }
  readonly budget: Pick<TimeBudget, 'ofAddress' | 'ofStranger'>
  /** Called first, with a token that was not checked: it may be that of a guest that another service made. */
  readonly bring?: ((uid: number, accid: string, token: string) => void) | undefined
  /** Called for a guest, to store it durably. */
  readonly entering?: ((uid: number, accid: string) => Promise<void>) | undefined
  readonly nextId: () => string
  /** Waits for accounts that other services have made; by default there are none. */
  readonly fresh?: (() => Promise<void>) | undefined
  /** Guests may also log in over readable connections: their tokens protect little. By default nobody is a guest. */
  readonly isGuest?: ((uid: number, accid: string) => boolean) | undefined
  /** Whether a guest may still be where it was made for; asked when its token is right. By default all may. */
  readonly mayStay?: ((uid: number, accid: string, token: string) => boolean) | undefined
  /** Accounts may log in over readable connections; false by default (behaviour.md#encryption). */
  readonly plainSignIn?: boolean | undefined
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
}

/** Charged per log-in in ms: more than measured, as it is stored, copied and announced. */
const logInTime = 2
/** Longest wait for that time in ms, then the log-in is refused. */
const longestWait = linkLimits.login - 1000

/** No application's number: looked up for an unknown key, so that its answer takes the same time. */
const nobody = -1

/** Handles the first frame of a connection: opens a session, or refuses and closes. */
export function createLogIn(
  sources: LogInSources,
): (frame: ClientFrame | undefined, connection: Connection) => Promise<Session | undefined> {
  const {
    applications,
    accounts,
    stream,
    received,
    sessions,
    records,
    throttle,
    budget,
    bring,
    entering,
    nextId,
    isGuest,
    mayStay,
    fresh,
    plainSignIn = false,
    clock,
  } = sources
  /** Checks a log-in. Without the right token it reveals nothing else. */
  const look = ({ appKey, accid, token }: LinkParameters<'login'>) => {
    const application = applications.byKey(appKey)
    const matches = accounts.tokenMatches(application?.uid ?? nobody, accid, token)
    const account = application && accounts.find(application.uid, accid)
    if (!application || !account || !matches)
      return { code: 414, desc: 'the AppKey, the account or the token is not right', uid: account && application?.uid }
    if (application.settings.frozen) return { code: 403, desc: 'the application is frozen', uid: application.uid }
    if (account.blocked) return { code: 403, desc: 'the account is blocked', uid: application.uid }
    if (mayStay?.(application.uid, accid, token) === false)
      return { code: 403, desc: 'the channel is not for this guest any more', uid: application.uid }
    return { application, account }
  }

  /** Charges a log-in to its address, and to all strangers for guests and unknown keys; returns the wait in ms. */
  const takeTime = ({ appKey, accid }: LinkParameters<'login'>, subnet: string): number => {
    const uid = applications.byKey(appKey)?.uid
    const account = uid === undefined || isGuest?.(uid, accid) ? budget.ofStranger(subnet) : budget.ofAddress(subnet)
    const wait = account?.wait() ?? 0
    if (wait <= longestWait) account?.spend(logInTime)
    return wait
  }
  /** Refused whatever the token is; unknown keys have no guests. */
  const mustNotSayToken = ({ appKey, accid }: LinkParameters<'login'>): boolean => {
    const application = applications.byKey(appKey)
    return !plainSignIn && !(application && isGuest?.(application.uid, accid))
  }

  return async (frame, connection) => {
    const refuse = (code: number, desc: string): undefined => {
      if (frame) connection.say({ t: 'error', id: frame.id, code, desc })
      connection.end(linkClose.login, 'no log-in')
      return undefined
    }
    if (frame?.t !== 'login') return refuse(414, 'the first frame must be a login')
    const reading = readRequest('login', frame.members)
    if (!reading.ok) return refuse(reading.refusal.code, reading.refusal.reason)
    const parameters = reading.value
    const asked = applications.byKey(parameters.appKey)
    if (asked) bring?.(asked.uid, parameters.accid, parameters.token)
    // Checked first: a readable connection must not reveal whether a token is right.
    if (connection.client.readable && mustNotSayToken(parameters))
      return refuse(403, 'accounts log in over TLS only: others on this network could read the token')
    const { accid, device, clientType, sdkVersion } = parameters
    const { address, subnet } = connection.client
    const note = (uid: number, code: number): void =>
      records.note({
        uid,
        accid,
        at: clock.now(),
        eventType: recordTypes.login,
        clientIp: address,
        sdkVersion,
        clientType,
        code,
      })

    const tooMany = (desc: string): undefined => {
      connection.say({ t: 'error', id: frame.id, code: 416, desc })
      connection.end(linkClose.flood, 'too many log-ins')
      return undefined
    }
    const begun = throttle.attempt(subnet, `${parameters.appKey} ${accid}`)
    const attempt = begun instanceof Promise ? await begun : begun
    if (!attempt) return tooMany('too many log-ins of this account failed from this address; try again later')
    try {
      const wait = Math.max(attempt.wait, takeTime(parameters, subnet))
      if (wait > longestWait) return tooMany('too many log-ins came from this address; try again later')
      if (wait > 0) await pause(clock, wait)
      await fresh?.()
      const first = look(parameters)
      if (first.application === undefined) {
        attempt.end('failed')
        if (first.uid !== undefined) note(first.uid, first.code)
        return refuse(first.code, first.desc)
      }
      const { uid } = first.application
      await entering?.(uid, accid)
      await received.settle(uid, accid)
      const seq = parameters.after ?? (await stream.cursor(uid, accid, device)) ?? 0
      const { total: unread } = await stream.unread(uid, accid)
      // Blocked or frozen meanwhile, when there was no session to end.
      const now = look(parameters)
      if (now.application === undefined) return refuse(now.code, now.desc)
      if (!connection.isOpen) return undefined

      const whose = { id: nextId(), uid, isGuest: isGuest?.(uid, accid) === true }
      const session = createSession(whose, parameters, connection, stream)
      sessions.add(session)
      attempt.end('succeeded')
      note(uid, 200)
      const answer: LinkAnswer<'login'> = {
        accid,
        time: clock.now(),
        seq,
        unread,
        donnop: now.account.donnop,
        others: [
          ...sessions.of(uid, accid).filter((other) => other !== session),
          ...(sessions.stayingElsewhere?.(session) ?? []),
        ].map((other) => ({ device: other.device, clientType: other.clientType })),
      }
      connection.say({ t: 'ok', id: frame.id, ...answer })
      return session
    } finally {
      attempt.end('gone')
    }
  }
}
