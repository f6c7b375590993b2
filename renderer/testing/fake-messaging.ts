// Long because it is one table of procedures with an invented answer for each, read from top to bottom.
import { implement, type ORPCError } from '@orpc/server'
import type { LinkPush } from '../../contract/link/frames.ts'
import { rpc, type LinkSession } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Scenario } from './fake-state.ts'

type Message = LinkPush<'message'>
interface FakeParts {
  readonly scenario: Scenario
  readonly began: number
  readonly tell: (event: AppEvent) => void
  readonly failed: (code: number) => ORPCError<'FAILED', unknown>
  readonly cannot: (kind: string) => ORPCError<'FAILED', unknown>
}

const minute = 60_000
const people: readonly (readonly [accid: string, name: string])[] = [
  ['ana', 'Ana Host'],
  ['mei', '美'],
  ['lee_88', 'Lee'],
  ['night.listener', 'Night listener'],
  ['xiaocheng', '小城'],
  ['tom', 'Tom from Harbour Radio'],
]
const team = { tid: '3001', tname: 'Late night crew · 深夜组', owner: 'ana', size: 5, role: 'owner' }

const said: readonly (readonly [
  from: string,
  scene: 'p2p' | 'team',
  to: string,
  minutes: number,
  type: number,
  body: object,
  recalled?: boolean,
])[] = [
  ['mei', 'p2p', 'ana', 190, 0, { msg: '今晚几点开播？' }],
  ['ana', 'p2p', 'mei', 188, 0, { msg: 'At nine. The guest joins half an hour later.' }],
  ['mei', 'p2p', 'ana', 187, 0, { msg: '好的，我先把歌单发给你 <b>不是标签</b>' }],
  [
    'mei',
    'p2p',
    'ana',
    186,
    6,
    { name: 'songs-of-tonight.txt', md5: '0', url: 'http://127.0.0.1:8711/file/9f31c2', ext: 'txt', size: 12_400 },
  ],
  ['ana', 'p2p', 'mei', 80, 0, { msg: 'wrong window' }, true],
  ['mei', 'p2p', 'ana', 12, 4, { title: 'Harbour stage', lng: 121.47, lat: 31.23 }],
  [
    'mei',
    'p2p',
    'ana',
    3,
    0,
    {
      msg: 'The level of the second microphone is low. Could you raise it before the interview begins, so that nobody has to shout over the music?',
    },
  ],
  ['lee_88', 'p2p', 'ana', 44, 0, { msg: 'Can I come as a guest?' }],
  ['ana', 'team', '3001', 300, 5, { ope: 0, tid: 3001, tname: 'Late night crew · 深夜组', accids: ['mei', 'tom'] }],
  ['tom', 'team', '3001', 250, 0, { msg: 'Checked the push address, all is well.' }],
  ['mei', 'team', '3001', 30, 0, { msg: '收到，我看着推流状态。' }],
]

/** The Messaging procedures in memory: one account signed in, two talks, one team. */
export function fakeMessaging({ scenario, began, tell, failed, cannot }: FakeParts) {
  const os = implement(rpc).messaging
  const { operations } = implement(rpc)
  const empty = scenario === 'empty'
  let accounts = empty
    ? []
    : people.map(([accid, name], index) => ({ accid, name, blocked: index === 2, online: index < 2 }))
  let seq = 500
  const log: Message[] = empty
    ? []
    : said.map(([from, scene, to, minutes, type, body, recalled]) => ({
        t: 'message',
        seq: ++seq,
        at: began - minutes * minute,
        scene,
        from,
        to,
        type,
        body: recalled ? '' : JSON.stringify(body),
        fromClientType: from === 'tom' ? 'REST' : 'PC',
        push: true,
        badge: true,
        ...(recalled ? { recalled: true } : {}),
      }))
  let sessions: LinkSession[] =
    empty || scenario === 'fault' || scenario === 'stopped'
      ? []
      : [
          {
            profileId: 'local',
            accid: 'ana',
            phase: scenario === 'poor' ? 'waiting' : 'online',
            reason: null,
            unread: 2,
            kept: true,
          },
          {
            profileId: 'local',
            accid: 'tom',
            phase: 'refused',
            reason: { code: 'credentials', params: {} },
            unread: null,
            kept: false,
          },
        ]
  let words = { words: empty ? [] : ['jackpot', '代开', 'free coins'], hold: true }
  const of = (accid: string, scene: string, other: string): Message[] =>
    log.filter(
      (one) =>
        one.scene === scene &&
        (scene === 'team'
          ? one.to === other
          : (one.from === accid && one.to === other) || (one.from === other && one.to === accid)),
    )
  const unread = () =>
    empty
      ? { total: 0, conversations: [] }
      : {
          total: 2,
          conversations: [
            { scene: 'p2p', with: 'lee_88', unread: 1 },
            { scene: 'team', with: '3001', unread: 1 },
          ],
        }
  const setSession = (session: LinkSession): LinkSession => {
    sessions = [...sessions.filter(({ accid }) => accid !== session.accid), session]
    tell({ type: 'linkSession', session })
    return session
  }
  const put = (
    from: string,
    scene: string,
    to: string,
    type: number,
    body: string,
  ): { msgid: number; timetag: number; antispam: boolean } => {
    if (scenario === 'failing') throw failed(403)
    const message: Message = {
      t: 'message',
      seq: ++seq,
      at: Date.now(),
      scene,
      from,
      to,
      type,
      body,
      fromClientType: 'PC',
      push: true,
      badge: true,
    }
    log.push(message)
    return { msgid: message.seq!, timetag: message.at, antispam: false }
  }
  const entries = (list: readonly Message[], limit: number) => {
    const msgs = [...list]
      .reverse()
      .slice(0, limit)
      .filter(({ recalled }) => recalled !== true)
      .map((one) => ({
        msgid: one.seq!,
        sendtime: one.at,
        type: one.type,
        from: one.from,
        body: JSON.parse(one.body) as Record<string, never>,
      }))
    return { size: msgs.length, msgs }
  }
  const refuse = (): void => {
    if (scenario === 'failing') throw failed(403)
  }
  const done = () => {
    refuse()
    return {}
  }
  const called = {
    accounts: {
      block: operations.accounts.block.handler(({ input }) => {
        refuse()
        accounts = accounts.map((one) =>
          one.accid === input.call.accid ? { ...one, blocked: true, online: false } : one,
        )
        return {}
      }),
      unblock: operations.accounts.unblock.handler(({ input }) => {
        refuse()
        accounts = accounts.map((one) => (one.accid === input.call.accid ? { ...one, blocked: false } : one))
        return {}
      }),
      updateUinfo: operations.accounts.updateUinfo.handler(done),
      getUinfos: operations.accounts.getUinfos.handler(({ input }) => ({
        uinfos: accounts
          .filter(({ accid }) => input.call.accids.includes(accid))
          .map(({ accid, name }) => ({
            valid: true,
            accid,
            name,
            sign: 'On air most nights',
            gender: 2,
            email: `${accid}@example.com`,
          })),
      })),
      setDonnop: operations.accounts.setDonnop.handler(done),
    },
    friends: {
      add: operations.friends.add.handler(done),
      update: operations.friends.update.handler(done),
      remove: operations.friends.remove.handler(done),
      get: operations.friends.get.handler(() => ({
        size: 2,
        friends: [
          { faccid: 'mei', createtime: began - 9e8, bidirection: true, alias: 'Mei (sound)' },
          { faccid: 'tom', createtime: began - 2e8, bidirection: true },
        ],
      })),
    },
    relations: {
      set: operations.relations.set.handler(done),
      list: operations.relations.list.handler(() => ({ blacklist: ['lee_88'], mutelist: [] })),
    },
    messages: {
      send: operations.messages.send.handler(({ input }) => ({
        data: put(
          input.call.from,
          input.call.ope === 1 ? 'team' : 'p2p',
          input.call.to,
          input.call.type,
          input.call.body,
        ),
      })),
      sendBatch: operations.messages.sendBatch.handler(() => ({ unregister: '[]' })),
      notify: operations.messages.notify.handler(() => ({
        data: { msgid: ++seq, timetag: Date.now(), antispam: false },
      })),
      recall: operations.messages.recall.handler(done),
    },
    history: {
      session: operations.history.session.handler(({ input }) =>
        entries(of(input.call.from, 'p2p', input.call.to), input.call.limit),
      ),
      team: operations.history.team.handler(({ input }) =>
        entries(of(input.call.accid, 'team', input.call.tid), input.call.limit),
      ),

      userEvents: operations.history.userEvents.handler(({ input }) => {
        const events = [2, 3, 2].map((eventType, index) => ({
          accid: input.call.accid,
          timestamp: began - (index + 1) * 41 * minute,
          eventType,
          clientIp: '127.0.0.1',
          sdkVersion: 'sidestage',
          clientType: 'PC',
          code: 200,
        }))
        return { size: events.length, events }
      }),
    },
    teams: {
      create: operations.teams.create.handler(() => {
        refuse()
        return { tid: team.tid }
      }),
      add: operations.teams.add.handler(done),
      kick: operations.teams.kick.handler(done),
      remove: operations.teams.remove.handler(done),
      update: operations.teams.update.handler(done),
      query: operations.teams.query.handler(() => ({
        tinfos: [
          {
            tid: Number(team.tid),
            tname: team.tname,
            owner: team.owner,
            announcement: 'Doors open at nine. 嘉宾九点半到。',
            intro: 'Everyone who makes the late night show',
            maxusers: 200,
            size: 5,
            joinmode: 1,
            mute: false,
            muteType: 0,
            createtime: 1_795_000_000_000,
            updatetime: 1_795_000_000_000,
            beinvitemode: 0,
            invitemode: 0,
            uptinfomode: 0,
            upcustommode: 0,
            admins: ['mei'],
            members: ['ana', 'tom', 'lee_88', 'xiaocheng'],
          },
        ],
      })),
      changeOwner: operations.teams.changeOwner.handler(done),
      addManager: operations.teams.addManager.handler(done),
      removeManager: operations.teams.removeManager.handler(done),
      joinTeams: operations.teams.joinTeams.handler(() =>
        empty
          ? { count: 0, infos: [] }
          : {
              count: 1,
              infos: [
                { owner: team.owner, tname: team.tname, maxusers: 200, tid: Number(team.tid), size: 5, custom: '' },
              ],
            },
      ),
      updateTeamNick: operations.teams.updateTeamNick.handler(done),
      muteTlist: operations.teams.muteTlist.handler(done),
      muteTlistAll: operations.teams.muteTlistAll.handler(done),
      listTeamMute: operations.teams.listTeamMute.handler(() => ({
        mutes: [{ nick: '', accid: 'lee_88', tid: Number(team.tid), type: 0 }],
      })),
      muteTeam: operations.teams.muteTeam.handler(done),
      leave: operations.teams.leave.handler(done),
    },
    local: {
      endSessions: operations.local.endSessions.handler(done),
      words: operations.local.words.handler(() => ({ ret: words })),
      setWords: operations.local.setWords.handler(({ input }) => {
        refuse()
        words = { words: input.call.words, hold: input.call.hold ?? false }
        return {}
      }),
    },
  }
  return {
    operations: called,
    messaging: {
      createAccount: os.createAccount.handler(({ input }) => {
        const accid = input.call.accid.toLowerCase()
        if (accounts.some((one) => one.accid === accid)) throw failed(414)
        accounts = [...accounts, { accid, name: input.call.name ?? '', blocked: false, online: false }]
        return { accid, token: '3f9a51c07be24d6e8a10c2f4d5b6978e' }
      }),
      refreshToken: os.refreshToken.handler(() => ({ token: 'c07be24d6e8a10c2f4d5b6978e3f9a51' })),
      accounts: os.accounts.handler(({ input }) => {
        if (scenario === 'failing' || scenario === 'hostedFault') throw cannot('unreachable')
        const hosted = input.profileId !== 'local'
        const found = accounts.filter(
          ({ accid, name }) =>
            accid > input.after &&
            (accid.includes(input.search.toLowerCase()) || name.toLowerCase().includes(input.search.toLowerCase())),
        )
        return {
          complete: !hosted,
          accounts: found
            .toSorted((a, b) => (a.accid < b.accid ? -1 : 1))
            .slice(0, hosted ? 2 : 100)
            .map((one) => (hosted ? { ...one, blocked: null, online: null } : one)),
        }
      }),
      setProps: os.setProps.handler(refuse),
      media: os.media.handler(() => {
        throw cannot('absent')
      }),
      upload: os.upload.handler(() => ({ url: 'http://127.0.0.1:8711/file/9f31c2' })),
      signIn: os.signIn.handler(({ input }) => {
        if (input.token === undefined && !sessions.some(({ accid, kept }) => accid === input.accid && kept))
          throw cannot('secret')
        return setSession({
          profileId: 'local',
          accid: input.accid,
          phase: 'online',
          reason: null,
          unread: 0,
          kept: input.keep,
        })
      }),
      signOut: os.signOut.handler(({ input }) => {
        tell({
          type: 'linkSession',
          session: { profileId: 'local', accid: input.accid, phase: 'off', reason: null, unread: null, kept: false },
        })
        sessions = sessions.filter(({ accid }) => accid !== input.accid)
      }),
      sessions: os.sessions.handler(({ input }) => (input.profileId === 'local' ? sessions : [])),
      link: {
        send: os.link.send.handler(({ input }) =>
          put(input.accid, input.call.scene, input.call.to, input.call.type, input.call.body),
        ),
        recall: os.link.recall.handler(done),
        read: os.link.read.handler(() => ({ unread: 0, total: 1 })),
        unread: os.link.unread.handler(unread),
        history: os.link.history.handler(({ input }) => {
          const all = of(input.accid, input.call.scene, input.call.with).toReversed()
          // The link's history is rows of messages as they were pushed.
          return { events: all as unknown as Record<string, never>[], more: false }
        }),
        friend: os.link.friend.handler(done),
        friends: os.link.friends.handler(() => ({
          friends: empty
            ? []
            : [
                { accid: 'mei', alias: 'Mei (sound)', at: began - 9e8 },
                { accid: 'tom', at: began - 2e8 },
              ],
        })),
        relation: os.link.relation.handler(done),
        watch: os.link.watch.handler(({ input }) => ({
          presence: input.call.accids.map((accid) => ({
            accid,
            online: accid === 'mei',
            clientTypes: accid === 'mei' ? ['PC'] : [],
          })),
        })),
        teams: os.link.teams.handler(() => ({ teams: empty ? [] : [team] })),
        teamInvite: os.link.teamInvite.handler(done),
        teamApply: os.link.teamApply.handler(() => ({ joined: false })),
        teamAnswer: os.link.teamAnswer.handler(done),
        teamLeave: os.link.teamLeave.handler(done),
      },
    },
  }
}

/** What a new subscription begins with for Messaging: who is signed in, and what waits for an answer. */
export const messagingEvents = (scenario: Scenario, began: number): AppEvent[] =>
  scenario === 'empty' || scenario === 'fault' || scenario === 'stopped'
    ? []
    : [
        {
          type: 'linkSession',
          session: {
            profileId: 'local',
            accid: 'ana',
            phase: scenario === 'poor' ? 'waiting' : 'online',
            reason: null,
            unread: 2,
            kept: true,
          },
        },
        {
          type: 'linkSession',
          session: {
            profileId: 'local',
            accid: 'tom',
            phase: 'refused',
            reason: { code: 'credentials', params: {} },
            unread: null,
            kept: false,
          },
        },
        {
          type: 'link',
          profileId: 'local',
          accid: 'ana',
          push: {
            t: 'friend',
            seq: 90,
            at: began - 9 * minute,
            from: 'xiaocheng',
            to: 'ana',
            type: 2,
            msg: '你好，一起做节目',
          },
        },
        {
          type: 'link',
          profileId: 'local',
          accid: 'ana',
          push: {
            t: 'teamApply',
            seq: 91,
            at: began - 6 * minute,
            tid: '3001',
            tname: team.tname,
            from: 'night.listener',
            msg: 'I listen every night',
          },
        },
      ]
