import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { began, service, starting, withParts } from '../../testing/mounted.ts'
import { mountedRoom, roomMember } from '../../testing/mounted-room.ts'
import { seat } from '../../testing/room-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { seatsWords } from '../moderators/words.ts'
import { roomWords } from './words.ts'
import { roomListsWords } from './words-lists.ts'
import RoomAsk from './room-ask.vue'
import RoomPeople from './room-people.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoomPeople } from './room-people.ts'

const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')
const roomEn = spoken(roomWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')

const { room: words } = roomEn
const { people: lists, more, reading, waiting } = roomListsEn.roomLists
const at = { profileId: 'local', roomid: 7 }
const member = (accid: string, change: object = {}) => ({
  ...roomMember(accid, 3),
  enterTime: began - 60_000,
  ...change,
})
type Members = readonly ReturnType<typeof member>[]
/** The list of those who are not fixed members; other lists are empty. */
const answered = (temporary: Members): Answers => ({
  'operations.chatrooms.membersByPage': ({ call }) => ({ desc: { data: call.type === 1 ? [...temporary] : [] } }),
})
const open = ({
  restricted = false,
  ...options
}: Parameters<typeof mountedRoom>[1] & { readonly restricted?: boolean } = {}) => {
  const cards: string[] = []
  const List: Component = {
    render: () => h(RoomPeople, { restricted, onCard: (accid: string) => cards.push(accid) }),
  }
  return mountedRoom(withParts(List, RoomAsk), options).then(async (shown) => {
    await shown.pass(1)
    return { ...shown, cards }
  })
}
const button = (name: string | RegExp) => page.getByRole('button', { name })
const rows = () => page.getByRole('listitem')
const row = (accid: string) => rows().filter({ hasText: accid })
const segment = (name: string) =>
  page.getByRole('group', { name: lists.kind }).getByRole('button', { name, exact: true })
const field = () => page.getByRole('textbox', { name: lists.search })
const menu = (accid: string) => button(lists.menu.replace('{name}', accid))
/** Opens the menu of a person. Vue takes no press of the millisecond in which its element came. */
const openMenu = async ({ pass }: Pick<Awaited<ReturnType<typeof open>>, 'pass'>, accid: string): Promise<void> => {
  await menu(accid).click()
  await expect.element(page.getByRole('menu')).toBeVisible()
  await pass(1)
}
const item = (name: string) => page.getByRole('menuitem', { name: starting(name) })
const measures = (client: Awaited<ReturnType<typeof open>>['client']) =>
  client.inputs('rooms.act').map(({ measure }) => measure)
const asked = (client: Awaited<ReturnType<typeof open>>['client']) =>
  client
    .inputs('operations.chatrooms.membersByPage')
    .map(({ call }) => call)
    .filter(({ endtime }) => endtime !== undefined)

describe('the list of people', () => {
  it('begins with those who are not fixed members, and has the others by choice', async () => {
    const { client } = await open({
      answers: {
        'operations.chatrooms.membersByPage': ({ call }) => ({
          desc: { data: [member(['mei', 'ana', 'lee'][call.type] ?? '')] },
        }),
      },
    })
    await expect.element(row('ana')).toBeVisible()
    await expect.element(page.getByText(`1 person, nobody else · ${lists.order.temporary}`)).toBeVisible()
    await segment(lists.kinds.fixed).click()
    await expect.element(row('mei')).toBeVisible()
    await expect.element(page.getByText(`1 person, nobody else · ${lists.order.fixed}`)).toBeVisible()
    await segment(lists.kinds.online).click()
    await expect.element(row('lee')).toBeVisible()
    expect(asked(client).map(({ type }) => type)).toEqual([1, 0, 2])
    expect(asked(client)[0]).toEqual({ roomid: 7, type: 1, endtime: 0, limit: 100 })
  })

  it('says that it is being read, and then that there is nobody', async () => {
    const answer = Promise.withResolvers<void>()
    await open({
      answers: {
        'operations.chatrooms.membersByPage': async () => {
          await answer.promise
          return { desc: { data: [] } }
        },
      },
    })
    await expect.element(page.getByText(reading)).toBeVisible()
    expect(page.getByText(lists.none.temporary).query()).toBeNull()
    answer.resolve()
    await expect.element(page.getByText(lists.none.temporary)).toBeVisible()
    await expect.element(page.getByText(reading)).not.toBeInTheDocument()
    await segment(lists.kinds.fixed).click()
    await expect.element(page.getByText(lists.none.fixed)).toBeVisible()
  })

  it('reads the next page by its button, from the last one on, until there are no more', async () => {
    const all = Array.from({ length: 130 }, (_, n) => member(`p${n}`, { enterTime: began - n * 1_000 }))
    const { client } = await open({
      answers: {
        'operations.chatrooms.membersByPage': ({ call }) => ({
          desc: {
            data:
              call.type === 1
                ? all.filter(({ enterTime }) => !call.endtime || enterTime < call.endtime).slice(0, 100)
                : [],
          },
        }),
      },
    })
    await expect.element(page.getByText(starting('100 people so far, there are more'))).toBeVisible()
    await button(more).click()
    await expect.element(page.getByText(starting('130 people, all of them'))).toBeVisible()
    expect(asked(client)[1]).toEqual({ roomid: 7, type: 1, endtime: began - 99_000, limit: 100 })
    await expect.element(button(more)).not.toBeInTheDocument()
  })

  it('says why it could not be read, and is read again by the button', async () => {
    const { client } = await open({
      answers: {
        'operations.chatrooms.membersByPage': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(page.getByText(reading).query()).toBeNull()
    client.answer(answered([member('ana')]))
    await button(en.word.retry).click()
    await expect.element(row('ana')).toBeVisible()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('is read again when the service is back', async () => {
    const { client, tell } = await open({ answers: answered([]) })
    await expect.element(page.getByText(lists.none.temporary)).toBeVisible()
    client.answer(answered([member('ana')]))
    await tell(service('restarting'), service('running'))
    await expect.element(row('ana')).toBeVisible()
  })

  it('keeps a person who left in place while a mouse is on it, and counts what waits', async () => {
    const { client, pinia } = await open({ answers: answered([member('ana'), member('lee')]) })
    await row('ana').hover()
    client.answer(answered([member('lee'), member('mei')]))
    await useRoomPeople(pinia).refresh()
    await expect.element(row('ana')).toHaveAttribute('inert')
    await expect.element(row('ana')).toMatchTextContent(lists.gone)
    expect(row('mei').query()).toBeNull()
    await expect.element(page.getByText(waiting.split(' | ')[1]!.replace('{n}', '2'))).toBeVisible()
    await field().hover()
    await expect.element(row('mei')).toBeVisible()
    expect(row('ana').query()).toBeNull()
  })
})

describe('the look-up of people', () => {
  const answers: Answers = {
    ...answered([member('zoe')]),
    'operations.chatrooms.queryMembers': ({ call }) => ({
      desc: { data: (call.accids as string[]).filter((accid) => accid === 'ana').map((accid) => member(accid)) },
    }),
  }
  const look = async (text: string): Promise<void> => {
    await field().fill(text)
    await userEvent.keyboard('{Enter}')
  }

  it('asks for the accids that were typed, and says who is here and who is not', async () => {
    const { client } = await open({ answers })
    await expect.element(row('zoe')).toBeVisible()
    await look('Ana, lee')
    await expect
      .element(page.getByRole('status').first())
      .toMatchTextContent(lists.found.replace('{n}', '1').replace('{all}', '2'))
    await expect.element(row('ana')).toBeVisible()
    await expect.element(page.getByText(lists.absent.replace('{names}', 'lee'))).toBeVisible()
    expect(row('zoe').query()).toBeNull()
    expect(client.inputs('operations.chatrooms.queryMembers')).toEqual([
      { profileId: 'local', call: { roomid: 7, accids: ['ana', 'lee'] } },
    ])
  })

  it('names 20 of those who are not here', async () => {
    await open({ answers })
    const names = Array.from({ length: 21 }, (_, n) => `q${n}`)
    await look(names.join(' '))
    await expect
      .element(page.getByText(lists.absent.replace('{names}', `${names.slice(0, 20).join(', ')} …`)))
      .toBeVisible()
  })

  it.each([
    ['the button', () => button(lists.close).click()],
    [
      'Esc',
      () =>
        field()
          .click()
          .then(() => userEvent.keyboard('{Escape}')),
    ],
    ['the choice of a list', () => segment(lists.kinds.temporary).click()],
  ] as const)('is left for the list by %s', async (_case, leave) => {
    await open({ answers })
    await look('ana')
    await expect.element(row('ana')).toBeVisible()
    await leave()
    await expect.element(row('zoe')).toBeVisible()
    expect(row('ana').query()).toBeNull()
    await expect.element(field()).toHaveValue('')
  })
})

describe('a person in the list', () => {
  it('has a role, what is in force and since when they are here', async () => {
    await open({
      answers: {
        ...answered([
          member('ana', { nick: 'Ana B' }),
          member('lee', { onlineStat: false }),
          member('bot', { isRobot: true }),
        ]),
        'operations.local.muted': () => ({
          ret: {
            list: [
              { accid: 'ana', permanent: true, seconds: 0 },
              { accid: 'lee', permanent: false, seconds: 600 },
            ],
            more: false,
          },
        }),
        'operations.local.blacklisted': () => ({ ret: { list: [{ accid: 'lee', at: 1 }], more: false } }),
      },
    })
    const ana = row('Ana B')
    for (const text of ['ana', words.role.viewer, lists.online, '2026-11-26 15:59'])
      await expect.element(ana).toMatchTextContent(text)
    await expect.element(ana.getByText(lists.muted, { exact: true })).toBeVisible()
    expect(ana.getByText(lists.blacklisted).query()).toBeNull()
    const lee = row('lee')
    await expect.element(lee.getByText(lists.timed.replace('{time}', '10 min'))).toBeVisible()
    await expect.element(lee.getByText(lists.blacklisted)).toBeVisible()
    await expect.element(lee.getByText(lists.away)).toBeVisible()
    expect(lee.getByText(lists.muted, { exact: true }).query()).toBeNull()
    await expect.element(row('bot').getByText(words.badge.bot)).toBeVisible()
    expect(row('bot').getByText(words.role.viewer).query()).toBeNull()
  })

  it('is muted no longer when the time of the mute is over', async () => {
    const { pass } = await open({
      answers: {
        ...answered([member('lee')]),
        'operations.local.muted': () => ({
          ret: { list: [{ accid: 'lee', permanent: false, seconds: 60 }], more: false },
        }),
      },
    })
    const mark = row('lee').getByText(starting(lists.timed.replace(' {time}', '')))
    await expect.element(mark).toBeVisible()
    await pass(60_000)
    await expect.element(mark).not.toBeInTheDocument()
  })

  it('opens their card', async () => {
    const { cards } = await open({ answers: answered([member('ana'), member('lee')]) })
    await row('lee')
      .getByRole('button', { name: starting(lists.card) })
      .click()
    expect(cards).toEqual(['lee'])
  })

  it.each([
    ['makes a moderator', 3, lists.admin, { kind: 'admin', target: 'ana', on: true }],
    ['takes that back', 2, lists.unadmin, { kind: 'admin', target: 'ana', on: false }],
    ['makes a member', 3, lists.ordinary, { kind: 'ordinary', target: 'ana', on: true }],
    ['takes a membership back', 0, lists.unordinary, { kind: 'ordinary', target: 'ana', on: false }],
    [
      'mutes for a time',
      3,
      lists.mute.replace('{time}', '10 min'),
      { kind: 'temporaryMute', target: 'ana', seconds: 600 },
    ],
    ['mutes until lifted', 3, lists.muteOn, { kind: 'mute', target: 'ana', on: true }],
  ] as const)('has a menu that %s', async (_case, type, name, measure) => {
    const shown = await open({ answers: answered([member('ana', { type })]) })
    const { client } = shown
    await openMenu(shown, 'ana')
    await item(name).click()
    await expect.poll(() => client.inputs('rooms.act')).toEqual([{ ...at, measure, why: '' }])
  })

  it('is read again after a measure', async () => {
    const shown = await open({ answers: answered([member('ana')]) })
    const { client } = shown
    await expect.element(row('ana')).toBeVisible()
    const before = asked(client).length
    await openMenu(shown, 'ana')
    await item(lists.muteOn).click()
    await expect.poll(() => asked(client).length).toBe(before + 1)
  })

  it('is put on the blacklist only after a question', async () => {
    const shown = await open({ answers: answered([member('ana')]) })
    const { client } = shown
    await openMenu(shown, 'ana')
    await item(lists.blacklist).click()
    await expect.element(page.getByRole('dialog')).toMatchTextContent(words.blacklistAsk.replace('{name}', 'ana'))
    expect(measures(client)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: words.blacklistDo }).click()
    await expect.poll(() => measures(client)).toEqual([{ kind: 'blacklist', target: 'ana', on: true }])
  })

  it('has each measure in force to lift in the menu, and no second blacklisting', async () => {
    const shown = await open({
      answers: {
        ...answered([member('ana')]),
        'operations.local.blacklisted': () => ({ ret: { list: [{ accid: 'ana', at: 1 }], more: false } }),
      },
    })
    const { client } = shown
    await expect.element(row('ana').getByText(lists.blacklisted)).toBeVisible()
    await openMenu(shown, 'ana')
    await expect.element(item(lists.liftBlacklist)).toBeVisible()
    expect(item(lists.blacklist).query()).toBeNull()
    expect(item(lists.liftMute).query()).toBeNull()
    await item(lists.liftBlacklist).click()
    await expect.poll(() => measures(client)).toEqual([{ kind: 'blacklist', target: 'ana', on: false }])
  })

  it.each([
    ['the host', member('host', { type: 1 }), lists.why.self],
    ['a moderator', member('mei', { type: 2 }), lists.why.admin],
  ] as const)('says why nothing can be done to %s', async (_case, who, why) => {
    const shown = await open({ answers: answered([who]) })
    const { client } = shown
    await openMenu(shown, who.accid)
    for (const name of [lists.muteOn, lists.blacklist]) {
      await expect.element(item(name)).toHaveAttribute('aria-disabled', 'true')
      await expect.element(item(name)).toMatchTextContent(why)
    }
    await item(lists.muteOn).click({ force: true })
    expect(measures(client)).toEqual([])
  })

  it('says that somebody muted cannot be made a moderator', async () => {
    await open({
      answers: {
        ...answered([member('ana')]),
        'operations.local.muted': () => ({
          ret: { list: [{ accid: 'ana', permanent: true, seconds: 0 }], more: false },
        }),
      },
    })
    await expect.element(row('ana').getByText(lists.muted, { exact: true })).toBeVisible()
    await menu('ana').click()
    await expect.element(item(lists.admin)).toMatchTextContent(lists.why.limited)
    await expect.element(item(lists.admin)).toHaveAttribute('aria-disabled', 'true')
  })

  it('has no roles of moderators to give for a moderator at another computer', async () => {
    await open({ about: { seat }, answers: answered([member('ana'), member('lee', { type: 2 })]) })
    await menu('ana').click()
    await expect.element(item(lists.ordinary)).toBeVisible()
    expect(item(lists.admin).query()).toBeNull()
    await userEvent.keyboard('{Escape}')
    await menu('lee').click()
    await expect.element(item(lists.muteOn)).toMatchTextContent(seatsEn.seatPage.guardAdmin)
  })

  it('says in the menu that measures are possible when the service is back', async () => {
    const { client, tell } = await open({
      answers: {
        ...answered([member('ana')]),
        'operations.local.muted': () => ({
          ret: { list: [{ accid: 'ana', permanent: true, seconds: 0 }], more: false },
        }),
      },
    })
    await expect.element(row('ana').getByText(lists.muted, { exact: true })).toBeVisible()
    await tell(service('restarting'))
    await menu('ana').click()
    for (const name of [lists.muteOn, lists.liftMute, lists.blacklist]) {
      await expect.element(item(name)).toHaveAttribute('aria-disabled', 'true')
      await expect.element(item(name)).toMatchTextContent(en.blocker.down)
    }
    expect(measures(client)).toEqual([])
  })
})

describe('the list of muted and blacklisted people', () => {
  const answers: Answers = {
    'operations.local.muted': () => ({
      ret: {
        list: [
          { accid: 'zoe', permanent: true, seconds: 0 },
          { accid: 'ana', permanent: false, seconds: 600 },
        ],
        more: false,
      },
    }),
    'operations.local.blacklisted': () => ({ ret: { list: [{ accid: 'ana', at: began }], more: false } }),
  }

  it('has each person once, by accid, with the count', async () => {
    await open({ restricted: true, answers })
    await expect.element(page.getByText(lists.restricted.split(' | ')[1]!.replace('{n}', '2'))).toBeVisible()
    expect(
      rows()
        .elements()
        .map((each) => (each as HTMLElement).dataset['accid']),
    ).toEqual(['ana', 'zoe'])
    expect(field().query()).toBeNull()
  })

  it.each([
    ['the timed mute', 'ana', lists.liftTimed, { kind: 'temporaryMute', target: 'ana', seconds: 0 }],
    ['the blacklisting', 'ana', lists.liftBlacklist, { kind: 'blacklist', target: 'ana', on: false }],
    ['the mute', 'zoe', lists.liftMute, { kind: 'mute', target: 'zoe', on: false }],
  ] as const)('lifts %s by its own button', async (_case, accid, name, measure) => {
    const { client } = await open({ restricted: true, answers })
    await button(`${name}: ${accid}`).click()
    await expect.poll(() => client.inputs('rooms.act')).toEqual([{ ...at, measure, why: '' }])
  })

  it('lifts nothing while the service is down', async () => {
    const { client, tell } = await open({ restricted: true, answers })
    await expect.element(row('zoe')).toBeVisible()
    await tell(service('restarting'))
    await button(`${lists.liftMute}: zoe`).click({ force: true })
    await expect.element(button(`${lists.liftMute}: zoe`)).toHaveAttribute('title', en.blocker.down)
    expect(measures(client)).toEqual([])
  })

  it('sends the reason of the card that is open on that person', async () => {
    const { client, pinia } = await open({ restricted: true, answers })
    const panel = useRoomPanel(pinia)
    panel.show('zoe')
    panel.reasonOf('zoe').value = 'enough'
    await button(`${lists.liftMute}: zoe`).click()
    await expect.poll(() => client.inputs('rooms.act').map(({ why }) => why)).toEqual(['enough'])
  })

  it('says that nobody is, and that a hosted service does not list them', async () => {
    await open({ restricted: true })
    await expect.element(page.getByText(words.nobodyRestricted)).toBeVisible()
  })

  it('is not known of a hosted service', async () => {
    await open({ restricted: true, profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await expect.element(page.getByText(lists.hosted)).toBeVisible()
    expect(page.getByText(reading).query()).toBeNull()
  })
})
