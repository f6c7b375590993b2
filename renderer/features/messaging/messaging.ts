import { defineStore } from 'pinia'
import { computed, shallowReactive, shallowRef } from 'vue'
import type { LinkPush } from '../../../contract/link/frames.ts'
import type { LinkSession } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { useCompanion } from '../../data/companion.ts'
import { requestsAfter, newsOf, readRequests, type TeamRequest, type News } from './messaging-requests.ts'
import { keyOf, lineOf, peerOf, peerOfKey, withLines, withRecalled, type Line } from './conversation.ts'
import { useServices } from '../../data/services.ts'

/** Conversations of an account, by `keyOf`. Values are replaced, not changed. */
interface Panel {
  readonly lines: ReadonlyMap<string, readonly Line[]>
  /** Conversations whose first line was read. */
  readonly whole: ReadonlySet<string>
  readonly last: ReadonlyMap<string, Line>
  readonly unread: ReadonlyMap<string, number>
  /** Newest first. */
  readonly recent: readonly string[]
  readonly asks: readonly TeamRequest[]
  readonly news: readonly News[]
  readonly online: ReadonlySet<string>
  readonly friends: readonly { readonly accid: string; readonly alias: string }[]
  readonly teams: readonly { readonly tid: string; readonly tname: string; readonly size: number }[]
}

const [maxRecent, maxNews] = [50, 20]
const place = (what: 'acting' | 'talks' | 'asks', profileId: string, accid = ''): string =>
  `sidestage.${what}.${profileId}${accid === '' ? '' : `.${accid}`}`

const readRecent = (text: string | null): string[] => {
  try {
    const read: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(read)
      ? read.filter((key): key is string => typeof key === 'string' && peerOfKey(key) !== null).slice(0, maxRecent)
      : []
  } catch {
    return []
  }
}

/** Accounts on the client link, the acting one, and their data. */
export const useMessaging = defineStore('messaging', () => {
  const { rpc, now, memory } = useServices()
  const companion = useCompanion()
  const sessions = shallowReactive(new Map<string, LinkSession>())
  const panels = shallowReactive(new Map<string, Panel>())
  const chosen = shallowReactive(new Map<string, string>())
  /** Counter of pushes that change unread counts. */
  const came = shallowRef(0)

  const profileId = computed(() => companion.profile?.id ?? '')
  const idOf = (profile: string, accid: string): string => `${profile} ${accid}`
  const signedIn = computed(() => [...sessions.values()].filter((session) => session.profileId === profileId.value))
  const accid = computed(() => {
    const remembered = chosen.get(profileId.value) ?? memory.read(place('acting', profileId.value)) ?? ''
    return remembered === '' ? (signedIn.value.find(({ phase }) => phase === 'online')?.accid ?? null) : remembered
  })
  const session = computed(() =>
    accid.value === null ? null : (sessions.get(idOf(profileId.value, accid.value)) ?? null),
  )
  /** Signed in on the link, or reconnecting; otherwise the API is used. */
  const live = computed(
    () => session.value !== null && session.value.phase !== 'refused' && session.value.phase !== 'off',
  )

  const panelOf = (profile: string, of: string): Panel =>
    panels.get(idOf(profile, of)) ?? {
      lines: new Map(),
      whole: new Set(),
      last: new Map(),
      unread: new Map(),
      recent: readRecent(memory.read(place('talks', profile, of))),
      asks: readRequests(memory.read(place('asks', profile, of))),
      news: [],
      online: new Set(),
      friends: [],
      teams: [],
    }
  const change = (profile: string, of: string, next: Partial<Panel>): void => {
    panels.set(idOf(profile, of), { ...panelOf(profile, of), ...next })
    if (next.recent) memory.write(place('talks', profile, of), JSON.stringify(next.recent))
    if (next.asks) memory.write(place('asks', profile, of), JSON.stringify(next.asks))
  }
  const touched = (panel: Panel, key: string): Partial<Panel> =>
    panel.recent[0] === key ? {} : { recent: [key, ...panel.recent.filter((one) => one !== key)].slice(0, maxRecent) }

  /** Adds a line, and moves its conversation to the top. */
  const putLine = (profile: string, of: string, key: string, line: Line): void => {
    const panel = panelOf(profile, of)
    const lines = panel.lines.get(key)
    const before = panel.last.get(key)
    change(profile, of, {
      ...touched(panel, key),
      ...(before && before.id > line.id ? {} : { last: new Map(panel.last).set(key, line) }),
      ...(lines ? { lines: new Map(panel.lines).set(key, withLines(lines, [line])) } : {}),
    })
  }
  const recall = (profile: string, of: string, key: string, id: number): void => {
    const panel = panelOf(profile, of)
    const lines = panel.lines.get(key)
    const last = panel.last.get(key)
    change(profile, of, {
      ...(lines ? { lines: new Map(panel.lines).set(key, withRecalled(lines, id)) } : {}),
      ...(last?.id === id ? { last: new Map(panel.last).set(key, { ...last, recalled: true, body: {} }) } : {}),
    })
  }
  const push = (profile: string, of: string, what: LinkPush): void => {
    const panel = panelOf(profile, of)
    const asks = requestsAfter(panel.asks, what, of)
    const news = newsOf(what, of, now())
    if (asks !== panel.asks) change(profile, of, { asks })
    if (news) change(profile, of, { news: [news, ...panel.news].slice(0, maxNews) })
    if (what.t === 'message') putLine(profile, of, keyOf(peerOf(of, what)), lineOf(what))
    else if (what.t === 'recall') recall(profile, of, keyOf(peerOf(of, what)), what.msgid)
    else if (what.t === 'unread')
      change(profile, of, { unread: new Map(panel.unread).set(`${what.scene} ${what.with}`, what.unread) })
    else if (what.t === 'presence') {
      const online = new Set(panel.online)
      if (what.online) online.add(what.accid)
      else online.delete(what.accid)
      change(profile, of, { online })
    }
    if (profile === profileId.value && of === accid.value && (what.t === 'message' || what.t === 'recall'))
      came.value += 1
  }

  return {
    sessions,
    signedIn,
    profileId,
    accid,
    session,
    live,
    came,
    panel: computed(() => panelOf(profileId.value, accid.value ?? '')),
    panelOf,
    change,
    putLine,
    recall,
    choose: (of: string): void => {
      chosen.set(profileId.value, of)
      memory.write(place('acting', profileId.value), of)
    },
    /** Signs in with a token or the kept one, and acts as the account. */
    signIn: async (of: string, token: string | undefined, keep: boolean): Promise<void> => {
      const profile = profileId.value
      const opened = await rpc.messaging.signIn({
        profileId: profile,
        accid: of,
        keep,
        ...(token === undefined ? {} : { token }),
      })
      // An event that came meanwhile is newer.
      const known = sessions.get(idOf(profile, of))
      if (!known || known.phase === 'refused') sessions.set(idOf(profile, of), opened)
    },
    signOut: async (of: string, forget: boolean): Promise<void> => {
      const profile = profileId.value
      await rpc.messaging.signOut({ profileId: profile, accid: of, forget })
      sessions.delete(idOf(profile, of))
    },
    /** Sessions may have ended while the companion was unreachable. */
    readSessions: async (): Promise<void> => {
      const profile = profileId.value
      const list = await rpc.messaging.sessions({ profileId: profile })
      for (const [id, known] of sessions)
        if (known.profileId === profile && !list.some(({ accid: of }) => of === known.accid)) sessions.delete(id)
      for (const each of list) sessions.set(idOf(profile, each.accid), each)
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'linkSession') {
        const { session: told } = event
        if (told.phase === 'off') sessions.delete(idOf(told.profileId, told.accid))
        else sessions.set(idOf(told.profileId, told.accid), told)
      } else if (event.type === 'link') push(event.profileId, event.accid, event.push)
    },
  }
})
