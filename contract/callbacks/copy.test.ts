import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { object, type Fields } from '../field.ts'
import {
  customNoticeCopy,
  friendCopy,
  loginCopy,
  messageCopy,
  roomMessageCopy,
  teamNoticeCopy,
  teamRequestCopy,
} from './copy-builders.ts'
import { conversationCopy, copyCheckSum, copyLine, roomCopy, sessionCopy, type MessageCopy } from './copy.ts'

const sent = { to: 'bob', from: 'alice', clientType: 'REST', at: 1_800_000_000_123, msgid: 4711 } as const

/** Undescribed members, missing required ones, and values that are no strings. */
function faults(copy: MessageCopy, fields: Fields): string[] {
  const { members } = object(fields)
  return [
    ...Object.entries(copy).flatMap(([name, value]) =>
      Object.hasOwn(members, name) && typeof (value as unknown) === 'string' ? [] : [name],
    ),
    ...Object.entries(members).flatMap(([name, field]) =>
      field.optional || Object.hasOwn(copy, name) ? [] : [`${name} is missing`],
    ),
  ]
}

describe('copies of conversation messages', () => {
  const full = messageCopy({
    ...sent,
    scene: 'p2p',
    type: 0,
    body: '{"msg":"晚上好 & =🎬"}',
    device: 'd-1',
    nick: '爱丽丝',
    clientId: 'c-1',
    resend: 1,
    ext: '{"k":1}',
    antispam: true,
  })

  it('carry the text of a text message as body, and every value as a string', () => {
    expect(full).toEqual({
      eventType: '1',
      convType: 'PERSON',
      to: 'bob',
      fromAccount: 'alice',
      fromClientType: 'REST',
      fromDeviceId: 'd-1',
      fromNick: '爱丽丝',
      msgTimestamp: '1800000000123',
      msgType: 'TEXT',
      body: '晚上好 & =🎬',
      msgidClient: 'c-1',
      msgidServer: '4711',
      resendFlag: '1',
      ext: '{"k":1}',
      antispam: 'true',
    })
    expect(faults(full, conversationCopy)).toEqual([])
  })

  it.each([
    [1, 'PICTURE'],
    [2, 'AUDIO'],
    [3, 'VIDEO'],
    [4, 'LOCATION'],
    [6, 'FILE'],
    [100, 'CUSTOM'],
  ] as const)('carry the body of type %i as attach of a %s', (type, name) => {
    const copy = messageCopy({ ...sent, scene: 'p2p', type, body: '{"url":"http://a/b","size":3}' })
    expect(copy).toMatchObject({
      msgType: name,
      attach: '{"url":"http://a/b","size":3}',
      msgidClient: '4711',
      resendFlag: '0',
    })
    for (const absent of ['body', 'antispam', 'tMembers', 'ext', 'fromNick', 'fromDeviceId'])
      expect(copy).not.toHaveProperty(absent)
  })

  it('write the members of a team as a bracketed list', () => {
    const copy = messageCopy({
      ...sent,
      to: '7',
      scene: 'team',
      type: 0,
      body: '{"msg":"hi"}',
      members: new Set(['b', 'c']),
    })
    expect(copy).toMatchObject({ convType: 'TEAM', to: '7', tMembers: '[b, c]' })
    expect(messageCopy({ ...sent, to: '7', scene: 'team', type: 0, body: '{}', members: [] })).toMatchObject({
      tMembers: '[]',
      body: '',
    })
  })

  it('tell what happened in a team', () => {
    const copy = teamNoticeCopy({
      ...sent,
      to: '7',
      id: 1,
      data: { ids: ['bob'], tinfo: { 1: '7' }, uinfos: [{ 1: 'alice' }] },
      members: ['alice', 'bob'],
    })
    expect(copy).toMatchObject({ convType: 'TEAM', msgType: 'NOTIFICATION', tMembers: '[alice, bob]' })
    expect(JSON.parse(copy.attach!)).toEqual({
      data: { ids: ['bob'], tinfo: { 1: '7' }, uinfos: [{ 1: 'alice' }] },
      id: 1,
    })
    expect(faults(copy, conversationCopy)).toEqual([])
  })

  it('tell a custom notification, whether it is stored, and its push text', () => {
    expect(customNoticeCopy({ ...sent, scene: 'p2p', attach: 'plain', stored: false, apns: 'new' })).toEqual({
      eventType: '1',
      convType: 'CUSTOM_PERSON',
      to: 'bob',
      fromAccount: 'alice',
      fromClientType: 'REST',
      msgTimestamp: '1800000000123',
      msgType: 'CUSTOM_P2P_MSG',
      msgidServer: '4711',
      attach: 'plain',
      customSafeFlag: '0',
      customApnsText: 'new',
    })
    const team = customNoticeCopy({
      ...sent,
      to: '7',
      scene: 'team',
      attach: '{}',
      stored: true,
      members: ['bob'],
      antispam: true,
    })
    expect(team).toMatchObject({
      convType: 'CUSTOM_TEAM',
      msgType: 'CUSTOM_TEAM_MSG',
      customSafeFlag: '1',
      tMembers: '[bob]',
      antispam: 'true',
    })
  })

  it('tell friendship: vt by type, and no attach at its end', () => {
    for (const type of [1, 2, 3, 4] as const)
      expect(JSON.parse(friendCopy({ ...sent, type }).attach!)).toEqual({ vt: type })
    expect(friendCopy({ ...sent, type: 2, text: 'hello' })).toMatchObject({
      msgType: 'FRIEND_ADD',
      body: 'hello',
      convType: 'CUSTOM_PERSON',
    })
    const end = friendCopy({ ...sent, type: 5 })
    expect(end).toMatchObject({ msgType: 'FRIEND_DELETE', convType: 'CUSTOM_PERSON' })
    expect(end).not.toHaveProperty('attach')
    expect(faults(end, conversationCopy)).toEqual([])
  })

  it('tell invitations and applications', () => {
    const invite = teamRequestCopy({
      ...sent,
      to: '7',
      kind: 'TEAM_INVITE',
      text: 'join us',
      tinfo: { 1: '7' },
      members: ['bob'],
    })
    expect(invite).toMatchObject({
      convType: 'CUSTOM_TEAM',
      body: 'join us',
      attach: '{"tinfo":{"1":"7"}}',
      tMembers: '[bob]',
      customSafeFlag: '1',
    })
    expect(teamRequestCopy({ ...sent, to: '7', kind: 'TEAM_INVITE_REJECT', stored: false })).toMatchObject({
      body: '',
      customSafeFlag: '0',
    })
  })
})

describe('copies of other events', () => {
  it('tell log-ins and log-outs', () => {
    const login = loginCopy({
      login: true,
      accid: 'bob',
      clientIp: '127.0.0.1',
      clientType: 'WEB',
      code: 200,
      sdkVersion: '1',
      at: 5,
    })
    expect(login).toEqual({
      eventType: '2',
      accid: 'bob',
      clientIp: '127.0.0.1',
      clientType: 'WEB',
      code: '200',
      sdkVersion: '1',
      timestamp: '5',
    })
    const logout = loginCopy({ login: false, accid: 'bob', clientType: 'WEB', code: 200, at: 6 })
    expect(logout).toMatchObject({ eventType: '3', timestamp: '6' })
    expect([...faults(login, sessionCopy), ...faults(logout, sessionCopy)]).toEqual([])
  })

  it('tell messages of rooms', () => {
    const room = roomMessageCopy({
      roomid: 9,
      from: 'bob',
      clientType: 'REST',
      at: 5,
      type: 10,
      attach: 'tip',
      clientId: 'c',
      cardChanged: 4,
      antispam: true,
    })
    expect(room).toMatchObject({
      eventType: '4',
      roomId: '9',
      msgType: 'TIPS',
      resendFlag: '0',
      roleInfoTimetag: '4',
      antispam: 'true',
    })
    expect(faults(room, roomCopy)).toEqual([])
  })
})

it('gives both directions of a conversation one line, and other conversations others', () => {
  const line = (from: string, to: string, scene: 'p2p' | 'team' = 'p2p') =>
    copyLine(messageCopy({ ...sent, from, to, scene, type: 0, body: '{}' }))
  expect(line('a', 'b')).toBe(line('b', 'a'))
  expect(line('a', 'b')).toBe(copyLine(friendCopy({ ...sent, from: 'b', to: 'a', type: 5 })))
  const all = [line('a', 'b'), line('a', 'c'), line('a', '7', 'team'), line('a', '8', 'team')]
  expect(new Set(all).size).toBe(all.length)
  expect(line('a', '7', 'team')).toBe(line('z', '7', 'team'))
  expect(copyLine(loginCopy({ login: true, accid: 'a', clientType: 'WEB', code: 200, at: 1 }))).toBe(
    copyLine(loginCopy({ login: false, accid: 'a', clientType: 'PC', code: 200, at: 2 })),
  )
  expect(
    copyLine(roomMessageCopy({ roomid: 9, from: 'a', clientType: 'WEB', at: 1, type: 0, attach: '', clientId: '' })),
  ).toBe('room:9')
})

it('signs as the vector says: lowercase SHA1 of AppSecret, MD5 and CurTime', () => {
  const md5 = hash('md5', '{}', 'hex')
  expect(md5).toBe('99914b932bd37a50b983c5e7c90ae93b')
  expect(copyCheckSum((text) => hash('sha1', text, 'hex').toUpperCase(), 'secret', md5, '1800000000123')).toBe(
    hash('sha1', `secret${md5}1800000000123`, 'hex'),
  )
})
