import { expect, it } from 'vitest'
import { rpc } from './rpc/index.ts'
import { isSeen } from './seen-text.ts'

const blanks = [
  ' ',
  '\t\n',
  '\u00a0\u3000',
  '\u200b\u200d',
  '\u3164',
  '\u2800',
  '\u{1d159}',
  '\u{16fe4}',
  '\u{13441}\u{13442}',
  '\ufe0f',
  '\u0007\u001b',
  '\u2066\u2069',
  '\u0301',
  '\ufeff',
]

it.each(blanks)('a text of %j alone is not seen, whatever stands in it', (blank) => {
  expect(isSeen(blank)).toBe(false)
  for (const text of ['a', '深', '🎈', '-', '١']) expect(isSeen(`${blank}${text}`)).toBe(true)
})

it('what this computer has no name for yet may be a new emoji of somebody else', () => {
  for (const text of ['\u{e000}', '\u{1fbff}', '\u{1faff}']) expect(isSeen(text)).toBe(true)
})

interface Checked {
  readonly '~orpc': {
    readonly inputSchema?: { safeParse(value: unknown): { success: boolean; error?: { message: string } } } | undefined
  }
}
const onRoom = { profileId: 'local', roomid: 1 }
const card = { profileId: 'local', liveUrl: 'http://a', messagingUrl: 'http://a', appKey: 'k', appSecret: 's' }
const measure = (of: object) => ({ ...onRoom, measure: of, why: '' })
const team = { owner: 'ana', members: ['mei'], msg: 'x', magree: 0, joinmode: 0 }
it.each<[string, unknown, (name: string) => object]>([
  ['rooms.create', rpc.rooms.create, (name) => ({ profileId: 'local', accid: 'ana', name, announcement: '' })],
  [
    'rooms.create, announcement',
    rpc.rooms.create,
    (announcement) => ({ profileId: 'local', accid: 'ana', name: 'a', announcement }),
  ],
  ['rooms.say', rpc.rooms.say, (text) => ({ ...onRoom, text })],
  ['rename', rpc.rooms.act, (text) => measure({ kind: 'rename', text })],
  ['announce', rpc.rooms.act, (text) => measure({ kind: 'announce', text })],
  ['queueAdd, key', rpc.rooms.act, (key) => measure({ kind: 'queueAdd', key, value: 'a' })],
  ['queueAdd, value', rpc.rooms.act, (value) => measure({ kind: 'queueAdd', key: 'a', value })],
  ['seats.invite', rpc.seats.invite, (name) => ({ ...onRoom, accid: 'ana', name })],
  ['profiles.add', rpc.profiles.add, (name) => ({ ...card, profileId: undefined, name })],
  ['profiles.update', rpc.profiles.update, (name) => ({ profileId: 'local', name })],
  ['recordings.mark', rpc.recordings.mark, (label) => ({ profileId: 'local', cid: 'a'.repeat(32), label })],
  ['recordings.renameMarker', rpc.recordings.renameMarker, (label) => ({ profileId: 'local', markerId: 1, label })],
  [
    'messaging.createAccount',
    rpc.messaging.createAccount,
    (name) => ({ profileId: 'local', call: { accid: 'ana', name }, keep: false }),
  ],
  [
    'operations.accounts.updateUinfo',
    rpc.operations.accounts.updateUinfo,
    (name) => ({ profileId: 'local', call: { accid: 'ana', name } }),
  ],
  [
    'operations.friends.update',
    rpc.operations.friends.update,
    (alias) => ({ profileId: 'local', call: { accid: 'ana', faccid: 'mei', alias } }),
  ],
  [
    'operations.teams.create',
    rpc.operations.teams.create,
    (tname) => ({ profileId: 'local', call: { ...team, tname } }),
  ],
  [
    'operations.teams.update',
    rpc.operations.teams.update,
    (tname) => ({ profileId: 'local', call: { tid: 1, owner: 'ana', tname } }),
  ],
  [
    'operations.teams.updateTeamNick',
    rpc.operations.teams.updateTeamNick,
    (nick) => ({ profileId: 'local', call: { tid: 1, owner: 'ana', accid: 'mei', nick } }),
  ],
])('%s takes no text of which nothing can be seen, and says so', (_name, procedure, input) => {
  const { inputSchema } = (procedure as Checked)['~orpc']
  const take = (text: string) => inputSchema?.safeParse(JSON.parse(JSON.stringify(input(text))))
  expect(take('深 a')).toMatchObject({ success: true })
  for (const blank of blanks) {
    expect(take(blank)?.success, JSON.stringify(blank)).toBe(false)
    expect(take(blank)?.error?.message).toContain('has nothing that can be seen')
  }
})
