import { expect, it } from 'vitest'
import type { NewEvent } from '../events/event.ts'
import { conversationWith, p2pConversation, peerOf, teamConversation } from './conversation.ts'
import { conversationOf, inboxOf } from './event-writes.ts'
import { message, teamMessage } from './testing/rig.ts'

const notification = (more: Partial<NewEvent> = {}): NewEvent => ({
  ...message('ann', 'bob', ''),
  frame: { t: 'notification', scene: 'p2p', from: 'ann', to: 'bob', attach: '{}', push: true, badge: true },
  ...more,
})
const inbox = (event: NewEvent): string[] => [...inboxOf(event)].sort()

it('puts a message into the conversation of its two accounts, and every event of a team into that of the team', () => {
  expect(conversationOf(message('ann', 'bob', ''))).toBe(conversationOf(message('bob', 'ann', '')))
  expect(conversationOf(message('ann', 'bob', ''))).toBe(p2pConversation('ann', 'bob'))
  expect(conversationOf(teamMessage('ann', 7, ''))).toBe(teamConversation(7))
  expect(conversationOf(notification({ to: { tid: 7 } }))).toBe(teamConversation(7))
})

it('puts a notification to an account into no conversation', () => {
  expect(conversationOf(notification())).toBe('')
})

it('gives an entry to receiver and sender, and to members of a team only where it is also for them', () => {
  expect(inbox(message('ann', 'bob', ''))).toEqual(['ann', 'bob'])
  expect(inbox(message('ann', 'bob', '', { extraRecipients: ['eve', 'bob'] }))).toEqual(['ann', 'bob', 'eve'])
  expect(inbox(teamMessage('ann', 7, ''))).toEqual([])
  expect(inbox(teamMessage('ann', 7, '', { extraRecipients: ['bob'] }))).toEqual(['bob'])
})

it('gives none to the sender where it is not synchronised', () => {
  expect(inbox(message('ann', 'bob', '', { sync: false }))).toEqual(['bob'])
  expect(inbox(message('ann', 'ann', '', { sync: false }))).toEqual([])
  expect(inbox(teamMessage('ann', 7, '', { sync: false, extraRecipients: ['ann', 'bob'] }))).toEqual(['bob'])
})

it('gives what is hidden to its sender alone, and to nobody where it is not synchronised', () => {
  expect(inbox(message('ann', 'bob', '', { hidden: true, extraRecipients: ['eve'] }))).toEqual(['ann'])
  expect(inbox(message('ann', 'bob', '', { hidden: true, sync: false }))).toEqual([])
})

it('names the other end of a conversation, also of one with oneself', () => {
  expect(peerOf('ann', p2pConversation('ann', 'bob'))).toEqual({ scene: 'p2p', accid: 'bob' })
  expect(peerOf('bob', p2pConversation('ann', 'bob'))).toEqual({ scene: 'p2p', accid: 'ann' })
  expect(peerOf('ann', p2pConversation('ann', 'ann'))).toEqual({ scene: 'p2p', accid: 'ann' })
  expect(peerOf('ann', teamConversation(7))).toEqual({ scene: 'team', tid: 7 })
  expect(conversationWith('ann', { scene: 'team', tid: 7 })).toBe(teamConversation(7))
  expect(conversationWith('bob', { scene: 'p2p', accid: 'ann' })).toBe(p2pConversation('ann', 'bob'))
})
