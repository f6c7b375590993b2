import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { LinkPush } from '../../../contract/link/frames.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import { actingAs, pushed, quietMessaging, sessionEvent } from '../../testing/messaging-values.ts'
import RequestList from './request-list.vue'
import { spoken } from '../../format/languages.ts'
import { messagingWords } from './words.ts'

const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const { messaging: words } = messagingEn
const friend = (from: string, msg = '', type = 2): LinkPush<'friend'> => ({
  t: 'friend',
  seq: 1,
  at: began,
  from,
  to: 'ana',
  type,
  msg,
})
const invitation: LinkPush<'teamInvite'> = {
  t: 'teamInvite',
  seq: 2,
  at: began,
  tid: '3001',
  tname: 'Crew',
  from: 'mei',
  to: ['ana'],
}
const application: LinkPush<'teamApply'> = {
  t: 'teamApply',
  seq: 3,
  at: began,
  tid: '3002',
  tname: 'Night',
  from: 'tom',
  msg: 'let me in',
}

const show = async (pushes: readonly LinkPush[], options: MountOptions = {}) => {
  const on = await mounted(RequestList, {
    before: actingAs(),
    ...options,
    events: [sessionEvent()],
    answers: {
      ...quietMessaging,
      'messaging.link.friend': () => ({}),
      'messaging.link.teamAnswer': () => ({}),
      ...options.answers,
    },
  })
  await on.tell(...pushes.map((push) => pushed(push)))
  return on
}
const list = () => page.getByRole('region', { name: words.ask.title })
const ask = (text: string) => list().getByRole('listitem').filter({ hasText: text })
const accept = (text: string) => ask(text).getByRole('button', { name: words.ask.accept, exact: true })
const refuse = (text: string) => ask(text).getByRole('button', { name: words.ask.refuse, exact: true })

describe('requests and news', () => {
  it('are not there while there is none', async () => {
    await show([])
    expect(list().query()).toBeNull()
  })

  it('say who asks for what, with the words that go along as text', async () => {
    await show([friend('lee', '<b>hi</b>'), invitation, application])
    await expect.element(ask('lee asks to be your friend.')).toMatchTextContent('“<b>hi</b>”')
    await expect.element(ask('mei invites you to the team Crew.')).toBeVisible()
    await expect.element(ask('tom asks to join the team Night.')).toMatchTextContent('“let me in”')
  })

  it.each([
    ['accepts a friend', 'lee asks', true, 'messaging.link.friend', { accid: 'lee', type: 3 }],
    ['rejects a friend', 'lee asks', false, 'messaging.link.friend', { accid: 'lee', type: 4 }],
    ['accepts an invitation', 'mei invites', true, 'messaging.link.teamAnswer', { tid: '3001', accept: true }],
    [
      'refuses an application',
      'tom asks',
      false,
      'messaging.link.teamAnswer',
      { tid: '3002', accept: false, accid: 'tom' },
    ],
  ] as const)('are answered over the link, and go then: %s', async (_case, text, yes, path, call) => {
    const { client } = await show([friend('lee'), invitation, application])
    await (yes ? accept(text) : refuse(text)).click()
    await expect.element(ask(text)).not.toBeInTheDocument()
    expect(client.inputs(path)).toEqual([{ profileId: 'local', accid: 'ana', call }])
    await expect.poll(() => list().getByRole('listitem').elements().length).toBe(2)
  })

  it('are answered once while an answer is under way', async () => {
    let release = (): void => undefined
    const { client } = await show([friend('lee'), friend('tom')], {
      answers: { 'messaging.link.friend': () => new Promise((resolve) => (release = () => resolve({}))) },
    })
    await accept('lee asks').click()
    await accept('lee asks').click({ force: true })
    await refuse('tom asks').click()
    release()
    await expect.element(ask('lee asks')).not.toBeInTheDocument()
    expect(client.inputs('messaging.link.friend').map(({ call }) => call)).toEqual([{ accid: 'lee', type: 3 }])
    await expect.element(ask('tom asks')).toBeVisible()
  })

  it('stay where the answer was refused, and can be taken off the list', async () => {
    const { client } = await show([friend('lee'), friend('tom')], {
      answers: {
        'messaging.link.friend': () => {
          throw failed({ kind: 'code', code: 403 })
        },
      },
    })
    await accept('lee asks').click()
    await expect.element(list().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(ask('lee asks')).toBeVisible()
    await list().getByRole('button', { name: words.ask.drop }).click()
    await expect.element(ask('lee asks')).not.toBeInTheDocument()
    await expect.element(ask('tom asks')).toBeVisible()
    expect(client.inputs('messaging.link.friend')).toHaveLength(1)
  })

  it('go with the request that was taken off the list, failure and all', async () => {
    await show([friend('lee')], {
      answers: {
        'messaging.link.friend': () => {
          throw failed()
        },
      },
    })
    await accept('lee asks').click()
    await list().getByRole('button', { name: words.ask.drop }).click()
    await expect.element(list()).not.toBeInTheDocument()
  })

  it('tell what happened, until it is dismissed', async () => {
    await show([friend('lee', '', 3), { t: 'settings', at: began, tid: '3001', muted: true } as LinkPush<'settings'>])
    await expect.element(list()).toMatchTextContent('lee accepted your request.')
    await expect.element(list()).toMatchTextContent('You are muted in 3001.')
    await list().getByRole('button', { name: 'Dismiss: lee accepted your request.' }).click()
    await expect.element(list()).not.toMatchTextContent('lee accepted')
    await expect.element(list()).toMatchTextContent('You are muted in 3001.')
  })

  it('speak Chinese', async () => {
    await show([friend('lee')], { language: 'zh' })
    const zh = messagingZh.messaging.ask
    await expect
      .element(page.getByRole('region', { name: zh.title }))
      .toMatchTextContent(zh.friend.replace('{name}', 'lee'))
    await expect.element(page.getByRole('button', { name: zh.accept, exact: true })).toBeVisible()
  })
})
