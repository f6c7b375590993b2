import { defineStore } from 'pinia'
import { computed, shallowReactive } from 'vue'
import { useCompanion } from '../../data/companion.ts'
import { useMessaging } from './messaging.ts'
import { withoutRequest, type TeamRequest, type News } from './messaging-requests.ts'
import { linesOf } from './history-lines.ts'
import { keyOf, lineOfEntry, peerOfKey, withLines, type Line, type Peer } from './conversation.ts'
import { useServices } from '../../data/services.ts'

/** Lines per page. */
const pageOf = { link: 50, api: 100 } as const
const maxAccounts = 200

/** A row of the list of conversations. */
export interface ConversationRow {
  readonly key: string
  readonly peer: Peer
  readonly name: string
  readonly unread: number
  readonly last: Line | null
  /** Null if unknown. */
  readonly online: boolean | null
}

/** Conversations of the acting account, over the link while signed in, else through the API. */
export const useConversations = defineStore('conversations', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const messaging = useMessaging()
  /** By profile and accid. */
  const names = shallowReactive(new Map<string, string>())
  const marked = new Map<string, number>()
  const at = (): { profileId: string; accid: string } => {
    if (messaging.accid === null) throw new Error('no account is chosen')
    return { profileId: messaging.profileId, accid: messaging.accid }
  }
  const nameOf = (accid: string): string => {
    const alias = messaging.panel.friends.find((friend) => friend.accid === accid)?.alias ?? ''
    return alias !== '' ? alias : names.get(`${messaging.profileId} ${accid}`) || accid
  }
  const teamName = (tid: string): string => messaging.panel.teams.find((team) => team.tid === tid)?.tname ?? tid

  const readNames = async (accids: readonly string[]): Promise<void> => {
    const { profileId } = messaging
    const unknown = [...new Set(accids)]
      .filter((accid) => accid !== '' && !names.has(`${profileId} ${accid}`))
      .slice(0, maxAccounts)
    if (unknown.length === 0) return
    for (const accid of unknown) names.set(`${profileId} ${accid}`, '')
    try {
      const { uinfos } = await rpc.operations.accounts.getUinfos({ profileId, call: { accids: unknown } })
      for (const { accid, name } of uinfos) names.set(`${profileId} ${accid}`, name ?? '')
    } catch {
      // Requested again with the next refresh; the accid is shown meanwhile.
      for (const accid of unknown) names.delete(`${profileId} ${accid}`)
    }
  }

  const rows = computed<ConversationRow[]>(() => {
    const { panel } = messaging
    const keys = new Set([
      ...panel.recent,
      ...panel.unread.keys(),
      ...panel.teams.map(({ tid }) => keyOf({ scene: 'team', with: tid })),
      ...panel.friends.map(({ accid }) => keyOf({ scene: 'p2p', with: accid })),
    ])
    const all = [...keys].flatMap((key): ConversationRow[] => {
      const peer = peerOfKey(key)
      if (!peer) return []
      const isTeam = peer.scene === 'team'
      return [
        {
          key,
          peer,
          name: isTeam ? teamName(peer.with) : nameOf(peer.with),
          unread: panel.unread.get(key) ?? 0,
          last: panel.last.get(key) ?? null,
          online: isTeam || !messaging.live ? null : panel.online.has(peer.with),
        },
      ]
    })
    return all.sort(
      (a, b) =>
        (b.last?.at ?? 0) - (a.last?.at ?? 0) ||
        Number(b.unread > 0) - Number(a.unread > 0) ||
        a.name.localeCompare(b.name),
    )
  })

  const readUnread = async (): Promise<void> => {
    if (!messaging.live) return
    const here = at()
    const { conversations } = await rpc.messaging.link.unread({ ...here, call: {} })
    const unread = new Map(conversations.map((one) => [`${one.scene} ${one.with}`, one.unread]))
    messaging.change(here.profileId, here.accid, { unread })
  }
  const refresh = async (): Promise<void> => {
    const here = at()
    const { profileId, accid } = here
    if (messaging.live) {
      await readUnread()
      const [{ friends }, { teams }] = await Promise.all([
        rpc.messaging.link.friends({ ...here, call: {} }),
        rpc.messaging.link.teams({ ...here, call: {} }),
      ])
      messaging.change(profileId, accid, {
        friends: friends.map((one) => ({ accid: one.accid, alias: one.alias ?? '' })),
        teams,
      })
    } else {
      const [{ friends }, { infos }] = await Promise.all([
        rpc.operations.friends.get({ profileId, call: { accid } }),
        rpc.operations.teams.joinTeams({ profileId, call: { accid } }),
      ])
      messaging.change(profileId, accid, {
        unread: new Map(),
        friends: friends.map((one) => ({ accid: one.faccid, alias: one.alias ?? '' })),
        teams: infos.map(({ tid, tname, size }) => ({ tid: String(tid), tname, size })),
      })
    }
    const others = rows.value.flatMap(({ peer }) => (peer.scene === 'p2p' ? [peer.with] : []))
    await readNames([accid, ...others, ...messaging.panel.asks.map(({ from }) => from)])
    if (!messaging.live || others.length === 0) return
    const { presence } = await rpc.messaging.link.watch({ ...here, call: { accids: others.slice(0, maxAccounts) } })
    messaging.change(profileId, accid, {
      online: new Set(presence.filter(({ online }) => online).map((one) => one.accid)),
    })
  }

  const history = async (
    peer: Peer,
    window: { begintime?: number; endtime?: number },
  ): Promise<{ lines: Line[]; full: boolean }> => {
    const { profileId, accid } = at()
    const asked = { ...window, limit: pageOf.api, reverse: 2 }
    const { msgs } =
      peer.scene === 'team'
        ? await rpc.operations.history.team({ profileId, call: { tid: peer.with, accid, ...asked } })
        : await rpc.operations.history.session({ profileId, call: { from: accid, to: peer.with, ...asked } })
    return { lines: msgs.map(lineOfEntry), full: msgs.length === pageOf.api }
  }
  const take = (
    here: { profileId: string; accid: string },
    key: string,
    lines: readonly Line[],
    isWhole: boolean,
  ): void => {
    const panel = messaging.panelOf(here.profileId, here.accid)
    const next = withLines(panel.lines.get(key) ?? [], lines)
    const newest = next.at(-1)
    messaging.change(here.profileId, here.accid, {
      lines: new Map(panel.lines).set(key, next),
      ...(newest ? { last: new Map(panel.last).set(key, newest) } : {}),
      ...(isWhole ? { whole: new Set(panel.whole).add(key) } : {}),
    })
  }
  const load = async (peer: Peer, older: boolean): Promise<void> => {
    const here = at()
    const key = keyOf(peer)
    const known = messaging.panel.lines.get(key) ?? []
    const oldest = older ? known[0] : undefined
    if (messaging.live) {
      const { events, more } = await rpc.messaging.link.history({
        ...here,
        call: { scene: peer.scene, with: peer.with, limit: pageOf.link, ...(oldest ? { before: oldest.id } : {}) },
      })
      take(here, key, linesOf(events), !more)
    } else {
      const { lines, full } = await history(peer, oldest ? { endtime: oldest.at } : {})
      take(here, key, lines, !full)
    }
    const shown = messaging.panelOf(here.profileId, here.accid).lines.get(key) ?? []
    await readNames(shown.map(({ from }) => from))
  }

  return {
    rows,
    nameOf,
    teamName,
    readNames,
    readUnread,
    refresh,
    load,
    /** At most 100 lines of a period, the newest; `full` when there may be more. */
    history,
    begin: (peer: Peer): void => {
      const { profileId, accid } = at()
      const { recent } = messaging.panel
      const key = keyOf(peer)
      if (!recent.includes(key)) messaging.change(profileId, accid, { recent: [key, ...recent].slice(0, 50) })
    },
    /** Resolves with whether the word list holds the message. */
    send: async (peer: Peer, type: number, body: Record<string, unknown>, clientId: string): Promise<boolean> => {
      const here = at()
      const text = JSON.stringify(body)
      const isLive = messaging.live
      const sent = isLive
        ? await rpc.messaging.link.send({
            ...here,
            call: { scene: peer.scene, to: peer.with, type, body: text, clientId },
          })
        : (
            await rpc.operations.messages.send({
              profileId: here.profileId,
              call: { from: here.accid, ope: peer.scene === 'team' ? 1 : 0, to: peer.with, type, body: text },
            })
          ).data
      const line = {
        id: sent.msgid,
        at: sent.timetag,
        from: here.accid,
        type,
        body,
        recalled: false,
        via: isLive ? 'PC' : 'REST',
        held: sent.antispam,
      }
      messaging.putLine(here.profileId, here.accid, keyOf(peer), line)
      return sent.antispam
    },
    upload: async (content: string, type: string): Promise<string> =>
      (await rpc.messaging.upload({ profileId: at().profileId, content, type })).url,
    recall: async (peer: Peer, line: Line, msg: string): Promise<void> => {
      const here = at()
      const why = msg === '' ? {} : { msg }
      if (messaging.live)
        await rpc.messaging.link.recall({
          ...here,
          call: { scene: peer.scene, to: peer.with, msgid: line.id, timetag: line.at, ...why },
        })
      else
        await rpc.operations.messages.recall({
          profileId: here.profileId,
          call: {
            deleteMsgid: line.id,
            timetag: line.at,
            type: peer.scene === 'team' ? 8 : 7,
            from: here.accid,
            to: peer.with,
            ...why,
          },
        })
      messaging.recall(here.profileId, here.accid, keyOf(peer), line.id)
    },
    /** Marks a conversation as read, once for each line. */
    read: async (peer: Peer, upTo: number): Promise<void> => {
      if (!messaging.live || companion.line !== 'open') return
      const here = at()
      const mark = `${here.profileId} ${here.accid} ${keyOf(peer)}`
      if ((marked.get(mark) ?? 0) >= upTo) return
      marked.set(mark, upTo)
      try {
        const { unread } = await rpc.messaging.link.read({
          ...here,
          call: { scene: peer.scene, with: peer.with, upTo },
        })
        messaging.change(here.profileId, here.accid, {
          unread: new Map(messaging.panelOf(here.profileId, here.accid).unread).set(keyOf(peer), unread),
        })
      } catch {
        // Retried with the next line or connection.
        marked.delete(mark)
      }
    },
    answer: async (ask: TeamRequest, accept: boolean): Promise<void> => {
      const here = at()
      if (ask.kind === 'friend')
        await rpc.messaging.link.friend({ ...here, call: { accid: ask.from, type: accept ? 3 : 4 } })
      else
        await rpc.messaging.link.teamAnswer({
          ...here,
          call: { tid: ask.tid, accept, ...(ask.kind === 'application' ? { accid: ask.from } : {}) },
        })
      messaging.change(here.profileId, here.accid, {
        asks: withoutRequest(messaging.panelOf(here.profileId, here.accid).asks, ask),
      })
    },
    /** Drops a request answered elsewhere. */
    dropAsk: (ask: TeamRequest): void => {
      const { profileId, accid } = at()
      messaging.change(profileId, accid, { asks: withoutRequest(messaging.panel.asks, ask) })
    },
    dropNews: (news: News): void => {
      const { profileId, accid } = at()
      messaging.change(profileId, accid, { news: messaging.panel.news.filter((one) => one !== news) })
    },
  }
})
