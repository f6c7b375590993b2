import { describe, expect, it } from 'vitest'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { noticeText, seenNotice } from './notices.ts'
import { say } from './words.ts'

const text = (name: keyof typeof roomNotices, data: Readonly<Record<string, unknown>> = {}): string | undefined => {
  const notice = seenNotice(
    JSON.stringify({ id: roomNotices[name], data: { target: ['a'], tarNick: ['Ann'], ...data } }),
  )
  return notice && noticeText(notice)
}

describe('a notice as viewers read it', () => {
  it.each([
    ['blacklisted', {}, say('wasRemoved', { name: 'Ann' })],
    ['muted', {}, say('wasMuted', { name: 'Ann' })],
    ['unmuted', {}, say('wasUnmuted', { name: 'Ann' })],
    ['unmuted', { stillMuted: true }, say('stillMuted', { name: 'Ann' })],
    ['mutedForAWhile', { muteDuration: 90 }, say('wasMutedFor', { name: 'Ann', time: '1 min 30 s' })],
    ['muteForAWhileLifted', {}, say('wasUnmuted', { name: 'Ann' })],
    ['muteForAWhileLifted', { expired: true }, say('muteEnded', { name: 'Ann' })],
    ['muteForAWhileLifted', { expired: true, stillMuted: true }, say('stillMuted', { name: 'Ann' })],
    ['roomMuted', {}, say('roomWasMuted')],
    ['roomUnmuted', {}, say('roomWasUnmuted')],
    ['updated', { slow: 5 }, say('slowSet', { seconds: 5 })],
    ['updated', { slow: 0 }, say('slowUnset')],
    ['updated', {}, undefined],
    ['entered', {}, undefined],
    ['left', {}, undefined],
    ['adminSet', {}, undefined],
    ['queueChanged', {}, undefined],
  ] as const)('%s %j', (name, data, says) => {
    expect(text(name, data)).toBe(says)
  })

  it('has the account where there is no name', () => {
    expect(text('muted', { tarNick: [''] })).toBe(say('wasMuted', { name: 'a' }))
    expect(text('muted', { tarNick: undefined })).toBe(say('wasMuted', { name: 'a' }))
  })

  it('ignores members of another type', () => {
    const attach = JSON.stringify({
      id: roomNotices.muted,
      data: { target: [1, 'a'], tarNick: 'x', muteDuration: '5', expired: 1, stillMuted: 'true', slow: null },
    })
    expect(seenNotice(attach)).toEqual({
      id: roomNotices.muted,
      target: ['a'],
      name: 'a',
      seconds: 0,
      expired: false,
      stillMuted: false,
      slow: undefined,
    })
    expect(seenNotice(JSON.stringify({ id: roomNotices.muted, data: { target: 'a' } }))?.target).toEqual([])
  })

  it.each(['', 'text', '5', 'null', '{}', '{"id":305}', '{"id":"305","data":{}}', '{"id":305,"data":[]}'])(
    'is none without an id and data: %j',
    (attach) => {
      expect(seenNotice(attach)).toBeUndefined()
    },
  )
})
