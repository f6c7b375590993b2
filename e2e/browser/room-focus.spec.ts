import { expect, test, type Locator, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { openPage } from '../page.ts'

/** Every key of a moderator at every place of focus: it acts on what has the focus and is seen, or on nobody. */
test.describe.configure({ mode: 'serial' })
let app: RunningApp
let companion: CompanionClient
let roomid = 0
const people: LinkPerson[] = []

test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  for (const accid of ['lee', 'bo', 'ida'])
    await companion.call('/user/create.action', { accid, name: accid.toUpperCase(), token: `token-of-${accid}` })
  await companion.rpc.operations.local.setWords({ profileId: 'local', call: { words: ['coins'], hold: true } })
  for (const accid of ['lee', 'bo', 'ida']) people.push(signInPerson(app.ready.service, accid, `token-of-${accid}`))
  await expect.poll(() => people.every((each) => each.online())).toBe(true)
  for (const person of people) await person.request('roomEnter', { roomid })
  const [, bo] = people as [LinkPerson, LinkPerson]
  // Somebody who is muted already, to stand in the list of those.
  await companion.call('/user/create.action', { accid: 'sam', name: 'SAM', token: 'token-of-sam' })
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'mute', target: 'sam', on: true },
    why: '',
  })
  const say = (person: LinkPerson, attach: string) =>
    person.request('roomSend', { roomid, type: 0, attach, clientId: attach.slice(0, 32) })
  // By the API: on the link an account says no 60 lines at once.
  for (let line = 1; line <= 60; line++)
    await companion.call('/chatroom/sendMsg.action', {
      roomid,
      msgId: `of lee ${line}`,
      fromAccid: 'lee',
      msgType: 0,
      attach: `line ${line} of Lee`,
    })
  for (let line = 1; line <= 3; line++) await say(bo, `coins ${line}`)
})
test.afterAll(async () => {
  for (const person of people) person.close()
  companion?.close()
  await app?.dispose()
})

/** What the page asked the app to do in the room, in order. */
const watched = (page: Page): { kind: string; target?: string }[] => {
  const acts: { kind: string; target?: string }[] = []
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const text = payload.toString()
      if (!text.includes('/rooms/act"')) return
      const [, measure = '{}'] = /"measure":(\{[^}]*\})/.exec(text) ?? []
      acts.push(JSON.parse(measure) as { kind: string; target?: string })
    }),
  )
  return acts
}
/** Whatever a key asked for by now was sent. */
const settled = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
const tab = async (page: Page, name: RegExp): Promise<void> => {
  const button = page.getByRole('group', { name: 'Room' }).getByRole('button', { name })
  await button.click()
  await expect(button).toHaveAttribute('aria-pressed', 'true')
}
const markLee = async (page: Page): Promise<void> => {
  await tab(page, /^Chat/)
  await page.getByRole('log').getByText('line 58 of Lee').click()
}
const inList = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name: new RegExp(`User card ${name}`) }) })
const heldLine = (page: Page) => page.getByRole('listitem').filter({ hasText: 'coins 2' })

/** Where the focus is, how it comes there, and on whom keys act there. */
interface Place {
  readonly name: string
  readonly goTo: (page: Page) => Promise<unknown>
  readonly person: string | null
  /** Keys may delete a line there. */
  readonly line: boolean
}
const places: readonly Place[] = [
  { name: 'nothing marked', goTo: (page) => tab(page, /^Chat/), person: null, line: false },
  { name: 'a marked line', goTo: markLee, person: 'lee', line: true },
  {
    name: 'a button of a line',
    goTo: async (page) => {
      await markLee(page)
      const row = page.locator('[data-room-row]').filter({ hasText: 'line 60 of Lee' })
      await row.hover()
      await row.getByRole('button', { name: 'User card' }).focus()
    },
    person: 'lee',
    line: true,
  },
  {
    name: 'a marked line that was scrolled away',
    goTo: async (page) => {
      await markLee(page)
      await page.getByRole('log').evaluate((log) => log.scrollTo({ top: 0 }))
      await expect(page.getByRole('log').getByText('line 58 of Lee')).not.toBeInViewport()
    },
    person: null,
    line: false,
  },
  {
    name: 'a button of a line that went out of sight with the focus',
    goTo: async (page) => {
      await tab(page, /^Chat/)
      const row = page.locator('[data-room-row]').filter({ hasText: 'line 60 of Lee' })
      await row.hover()
      await row.getByRole('button', { name: 'User card' }).focus()
      await page.getByRole('log').evaluate((log) => log.scrollTo({ top: 0 }))
      await expect(row).not.toBeInViewport()
    },
    person: null,
    line: false,
  },
  {
    name: 'the list of people, a line marked in the chat before',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^People/)
    },
    person: null,
    line: false,
  },
  {
    name: 'a button of a person',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^People/)
      await inList(page, 'IDA').getByRole('button').first().focus()
    },
    person: 'ida',
    line: false,
  },
  {
    name: 'an open menu of a person',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^People/)
      await page.getByRole('button', { name: /IDA/ }).last().click()
      await expect(page.getByRole('menu')).toBeVisible()
    },
    person: null,
    line: false,
  },
  {
    name: 'the held lines, none of them focused',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^Held/)
      await expect(heldLine(page)).toBeVisible()
    },
    person: null,
    line: false,
  },
  {
    name: 'a held line',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^Held/)
      await heldLine(page).focus()
    },
    person: 'bo',
    line: false,
  },
  {
    name: 'the log of actions',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^(Log|Actions)/)
    },
    person: null,
    line: false,
  },
  {
    name: 'a button of somebody in the list of the muted',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^Muted, blacklisted/)
      await page.getByRole('listitem').filter({ hasText: 'SAM' }).getByRole('button').first().focus()
    },
    person: 'sam',
    line: false,
  },
  {
    name: 'the statistics',
    goTo: async (page) => {
      await markLee(page)
      await tab(page, /^Statistics/)
    },
    person: null,
    line: false,
  },
  {
    name: 'the search',
    goTo: async (page) => {
      await markLee(page)
      await page.keyboard.press('/')
      await expect(page.getByRole('textbox', { name: 'Search' })).toBeFocused()
    },
    person: null,
    line: false,
  },
  {
    name: 'the composer',
    goTo: async (page) => {
      await markLee(page)
      await page.getByRole('textbox', { name: /^Say as/ }).focus()
    },
    person: null,
    line: false,
  },
  {
    name: 'a dialog',
    goTo: async (page) => {
      await markLee(page)
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog')).toBeVisible()
    },
    person: null,
    line: false,
  },
]

const clean = async (page: Page): Promise<void> => {
  // Menus and dialogs first, then the card, the search and the mark.
  for (let open = 0; open < 5; open++) await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** Presses every key that is about somebody, each from that place anew. */
async function pressAll(page: Page, acts: { kind: string; target?: string }[], place: Place): Promise<void> {
  const typing = /search|composer/.test(place.name)

  for (const key of ['1', 'm']) {
    await place.goTo(page)
    acts.length = 0
    await page.keyboard.press(key)
    await settled(page)
    expect(
      acts.map(({ target }) => target),
      `key ${key}`,
    ).toEqual(place.person === null ? [] : [place.person])
    await clean(page)
  }
  await place.goTo(page)
  await page.keyboard.press('x')
  await settled(page)
  const asked = page.getByRole('dialog').filter({ hasText: 'Blacklist' })
  if (place.person === null) await expect(asked.and(page.getByRole('dialog', { name: /^Blacklist/ }))).toHaveCount(0)
  else {
    // The question has the name that is on the screen, and Enter in its field is a yes.
    await expect(
      page.getByRole('dialog', { name: `Blacklist ${place.person === 'lee' ? 'LEE' : place.person.toUpperCase()}?` }),
    ).toBeVisible()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  }
  await clean(page)

  await place.goTo(page)
  await page.keyboard.press('u')
  await settled(page)
  const card = page.getByRole('region', { name: 'User card' })
  if (place.person === null) await expect(card).toHaveCount(0)
  else await expect(card).toContainText(`accid ${place.person}`)
  await clean(page)

  // The held lines have D for themselves: it drops the one that has the focus, which is tried elsewhere.
  if (!typing && !place.name.endsWith('held line')) {
    await place.goTo(page)
    acts.length = 0
    await page.keyboard.press('d')
    await settled(page)
    expect(acts, 'key d').toEqual(
      place.line ? [expect.objectContaining({ kind: 'removeLine', target: place.person })] : [],
    )
    await clean(page)
    await place.goTo(page)
    await page.keyboard.press('t')
    await settled(page)
    const second = page.getByRole('dialog', { name: /^(Second|Recording)/ })
    // It comes a moment later, and would lie over the next place.
    if (place.line) await page.getByRole('dialog').waitFor()
    else await expect(second).toHaveCount(0)
    await clean(page)
  }
}

test('every key acts on what has the focus and is seen, or on nobody', async ({ page }) => {
  const acts = watched(page)
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(page.getByRole('log').getByText('line 60 of Lee')).toBeVisible()
  for (const place of places)
    await test.step(`${place.name}: ${place.person ?? 'nobody'}`, () => pressAll(page, acts, place))
})

test('Enter in the question of a blacklisting says yes', async ({ page }) => {
  const acts = watched(page)
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await tab(page, /^People/)
  await inList(page, 'IDA').getByRole('button').first().focus()
  await page.keyboard.press('x')
  await page.getByRole('dialog').getByRole('textbox').fill('spam')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(acts).toEqual([expect.objectContaining({ kind: 'blacklist', target: 'ida', on: true })])
})

test('keys of held lines lead into their list from anywhere on its tab, and touch nothing of the chat', async ({
  page,
}) => {
  const acts = watched(page)
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  const held = page.getByRole('region', { name: 'Held lines' })
  for (const key of ['a', 'd', 'ArrowDown', 'ArrowUp', 'k', 'Home']) {
    await markLee(page)
    await tab(page, /^Held/)
    await expect(heldLine(page)).toBeVisible()
    await page.keyboard.press(key)
    // Those that decide give it to none: pressed again they would decide one that nobody has marked.
    const entered = !/^[ad]$/.test(key)
    await expect(held.locator('li:focus'), key).toHaveCount(entered ? 1 : 0)
  }
  expect(acts).toEqual([])
  // The one that has the focus is the newest.
  await page.keyboard.press('d')
  await expect.poll(() => acts).toEqual([expect.objectContaining({ kind: 'decideHeld', target: 'bo', allow: false })])
  await expect(held.getByRole('listitem').filter({ hasText: 'coins 3' })).toHaveCount(0)
  await expect(heldLine(page)).toBeFocused()
})

test('keys that move stay in the list of the tab that is open, and mark nothing of the chat', async ({ page }) => {
  const acts = watched(page)
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await tab(page, /^People/)
  const list = page.getByRole('region', { name: /^People/ })
  const people = list.locator('li')
  await expect.poll(() => people.count()).toBeGreaterThan(1)
  const focusedPerson = () =>
    people.evaluateAll((rows) => rows.findIndex((row) => row.contains(document.activeElement)))
  const last = (await people.count()) - 1
  const steps = [
    ['ArrowDown', 0],
    ['ArrowDown', 1],
    ['k', 0],
    ['ArrowUp', 0],
    ['j', 1],
    ['Home', 0],
    ['End', last],
    ['ArrowDown', last],
  ] as const
  for (const [key, at] of steps) {
    await page.keyboard.press(key)
    await expect.poll(focusedPerson, key).toBe(at)
  }
  // Who has the focus is whom a key is about.
  await page.keyboard.press('x')
  await expect(page.getByRole('dialog', { name: /^Blacklist/ })).toBeVisible()
  await page.keyboard.press('Escape')
  // Esc lets go whom the next key would be about; the focus stays in the list.
  await people.last().focus()
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-list]')).toBeFocused()
  for (const key of ['m', '1', 'x']) await page.keyboard.press(key)
  await settled(page)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // A log that is not seen is not frozen either.
  for (const name of [/^People/, /^(Log|Actions)/, /^Statistics/, /^Muted, blacklisted/, /^Held/]) {
    await tab(page, name)
    await page.keyboard.press('f')
  }
  await tab(page, /^Chat/)
  await expect(page.getByRole('button', { name: /^Freeze/ })).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.press('f')
  await expect(page.getByRole('button', { name: /^(Freeze|Frozen)/ })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('f')
  for (const [name, region] of [
    [/^(Log|Actions)/, 'Log'],
    [/^Statistics/, 'Statistics'],
  ] as const)
    for (const key of ['ArrowDown', 'k', 'End']) {
      await markLee(page)
      await tab(page, name)
      await page.keyboard.press(key)
      await expect(page.locator('[data-list]'), `${region} ${key}`).toBeFocused()
    }
  expect(acts).toEqual([])
})

/** Letters that each would act on the line that is still marked, take from the queue or open something. */
const letters = ['d', 'm', '1', 'x', 'q', 'a', 't']
const typeOn = async (page: Page, typed = letters): Promise<void> => {
  for (const key of typed) await page.keyboard.press(key)
  await settled(page)
  await expect(page.getByRole('dialog')).toHaveCount(0)
}
const focusedOn = (page: Page) => page.evaluate(() => document.activeElement?.tagName)
const openRoom = async (page: Page): Promise<void> => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(page.getByRole('log').getByText('line 60 of Lee')).toBeVisible()
}

test('the form of the queue stays for the next one, and what is typed on is written there', async ({ page }) => {
  const acts = watched(page)
  await openRoom(page)
  await markLee(page)
  await page.getByRole('button', { name: 'Add to queue' }).click()
  const who = page.getByRole('textbox', { name: 'Who', exact: true })
  await who.fill('ida')
  // What is missing is said, and has the focus.
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'Enter what for.' })).toBeVisible()
  await page.keyboard.type('duet')
  await expect(page.getByRole('alert').filter({ hasText: 'Enter what for.' })).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listitem').filter({ hasText: 'duet' })).toBeVisible()
  await expect(who).toBeFocused()
  await expect(who).toHaveValue('')
  await page.keyboard.type('dad')
  await expect(who).toHaveValue('dad')
  // Esc leaves the focus at what opens the form, and letters that come too late do nothing in the room; a leads to the announcement, as it does from anywhere.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Add to queue' })).toBeFocused()
  acts.length = 0
  await typeOn(
    page,
    letters.filter((key) => key !== 'a'),
  )
  expect(acts).toEqual([])
  await page.getByRole('button', { name: 'Take ida out' }).click()
  await expect.poll(() => acts).toEqual([expect.objectContaining({ kind: 'queueTake', key: 'ida' })])
})

test('an announcement that was saved leaves the focus at its button, and what is typed on does nothing', async ({
  page,
}) => {
  const acts = watched(page)
  await openRoom(page)
  await markLee(page)
  await page.keyboard.press('a')
  const text = page.getByRole('textbox', { name: 'Announcement' })
  await expect(text).toBeFocused()
  await text.fill('Tonight')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('button', { name: 'Edit announcement' })).toBeFocused()
  acts.length = 0
  await typeOn(page)
  // Letters that move or lead to a field are letters too.
  for (const key of ['k', 'd', 'c', '/']) await page.keyboard.press(key)
  await settled(page)
  expect(acts).toEqual([])
  await expect(text).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Edit announcement' })).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('log')).toBeFocused()
  await page.keyboard.press('x')
  await expect(page.getByRole('dialog', { name: 'Blacklist LEE?' })).toBeVisible()
})

/** How the editor of the announcement is left on purpose. */
const leavings: readonly { readonly name: string; readonly leave: (page: Page) => Promise<unknown> }[] = [
  { name: 'Esc', leave: (page) => page.keyboard.press('Escape') },
  ...['Cancel', 'Save'].map((name) => ({
    name,
    leave: async (page: Page) => {
      await page.getByRole('textbox', { name: 'Announcement' }).fill(`left by ${name}`)
      await page.getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    },
  })),
]
for (const { name, leave } of leavings)
  test(`an announcement that was left by ${name} leaves the keys that are about nobody in force, and no others`, async ({
    page,
  }) => {
    const acts = watched(page)
    await openRoom(page)
    const text = page.getByRole('textbox', { name: 'Announcement' })
    const opener = page.getByRole('button', { name: 'Edit announcement' })
    const left = async (): Promise<void> => {
      await markLee(page)
      await page.keyboard.press('a')
      await expect(text).toBeFocused()
      await leave(page)
      await expect(opener).toBeFocused()
      acts.length = 0
    }
    await left()
    for (const key of ['d', 'm', '1', 'x', 't']) await page.keyboard.press(key)
    await settled(page)
    expect(acts).toEqual([])
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.keyboard.press('a')
    await expect(text).toBeFocused()
    await page.keyboard.press('Escape')
    await left()
    await page.keyboard.press('/')
    await expect(page.getByRole('searchbox').or(page.getByPlaceholder('Search lines and people')).first()).toBeFocused()
    await page.keyboard.press('Escape')
    await left()
    await page.keyboard.press('c')
    await expect(page.getByPlaceholder(/^Say as/)).toBeFocused()
    expect(acts).toEqual([])
  })

test('a held line that somebody else decides takes its focus to the list, where no letter decides', async ({
  page,
}) => {
  const acts = watched(page)
  const [, bo] = people as [LinkPerson, LinkPerson]
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'temporaryMute', target: 'bo', seconds: 0 },
    why: '',
  })
  for (const attach of ['coins a', 'coins b', 'coins c'])
    await bo.request('roomSend', { roomid, type: 0, attach, clientId: attach })
  await openRoom(page)
  await markLee(page)
  await tab(page, /^Held/)
  const held = page.getByRole('region', { name: 'Held lines' })
  const line = (text: string) => held.getByRole('listitem').filter({ hasText: text })
  const decide = async (text: string): Promise<void> => {
    const { ret } = await companion.rpc.operations.local.held({ profileId: 'local', call: { roomid } })
    const { msgid } = ret.list.find(({ attach }) => attach === text)!
    await companion.rpc.rooms.act({
      profileId: 'local',
      roomid,
      measure: { kind: 'decideHeld', target: 'bo', msgid, allow: false },
      why: '',
    })
  }
  for (const [place, text] of [
    [line('coins b'), 'coins b'],
    [line('coins a').getByRole('button', { name: /^Drop/ }), 'coins a'],
  ] as const) {
    await place.focus()
    await decide(text)
    await expect(line(text)).toHaveCount(0)
    await expect(held).toBeFocused()
    await typeOn(page)
    expect(acts).toEqual([])
  }
  await page.keyboard.press('ArrowDown')
  await expect(held.locator('li:focus')).toHaveCount(1)
  // Under a pointer the line keeps its place, and has the focus no more.
  await line('coins c').hover()
  await line('coins c').focus()
  await decide('coins c')
  await expect(line('coins c')).toHaveAttribute('inert', '')
  await expect(held).toBeFocused()
  await typeOn(page)
  expect(acts).toEqual([])
})

test('a decision that came too late names the line and leaves none chosen', async ({ page }) => {
  const [, bo] = people as [LinkPerson, LinkPerson]
  for (const attach of ['coins x', 'coins y'])
    await bo.request('roomSend', { roomid, type: 0, attach, clientId: attach })
  // What others decide is not told: the page asks about a line that waits no more.
  await page.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((frame) => {
      if (!frame.toString().includes('roomDecided')) socket.send(frame)
    })
  })
  await openRoom(page)
  await tab(page, /^Held/)
  const held = page.getByRole('region', { name: 'Held lines' })
  const line = (text: string) => held.getByRole('listitem').filter({ hasText: text })
  await line('coins y').focus()
  const msgid = await line('coins y').getAttribute('data-id')
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'decideHeld', target: 'bo', msgid: msgid!, allow: false },
    why: '',
  })
  await page.keyboard.press('d')
  const late = held.getByText(/^\S.* has dropped this line first:/)
  await expect(late).toContainText('BO coins y')
  await expect(held).toBeFocused()
  await expect(held.locator('li:focus')).toHaveCount(0)
  await expect(late).toHaveCount(0)
  // The log says it of the decision that came too late.
  await tab(page, /^Log/)
  await expect(page.getByRole('row').nth(1)).toContainText(/Refused · .* had dropped it already; nothing was changed\./)
})

/** Controls that go with what they do. */
const goers: readonly {
  readonly name: string
  readonly press: (page: Page) => Locator
  readonly before?: (page: Page) => Promise<unknown>
}[] = [
  { name: 'the mute of the room', press: (page) => page.getByRole('button', { name: 'Mute room' }) },
  { name: 'the lift of that mute', press: (page) => page.getByRole('button', { name: 'Lift', exact: true }) },
  {
    name: 'the undo',
    before: async (page) => {
      await page.keyboard.press('m')
      await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
    },
    press: (page) => page.getByRole('button', { name: 'Undo' }),
  },
  {
    name: 'the deletion of a line',
    before: (page) => page.locator('[data-room-row]').filter({ hasText: 'line 59 of Lee' }).hover(),
    press: (page) =>
      page
        .locator('[data-room-row]')
        .filter({ hasText: 'line 59 of Lee' })
        .getByRole('button', { name: 'Delete line' }),
  },
  {
    name: 'the lift in the list of the muted',
    before: async (page) => {
      await companion.call('/user/create.action', { accid: 'uma', name: 'UMA', token: 'token-of-uma' })
      await companion.rpc.rooms.act({
        profileId: 'local',
        roomid,
        measure: { kind: 'mute', target: 'uma', on: true },
        why: '',
      })
      await tab(page, /^Muted, blacklisted/)
    },
    press: (page) => page.locator('li[data-accid="uma"]').getByRole('button', { name: /^Lift/ }),
  },
]

test('a control that goes with what it does leaves its keys to nobody', async ({ page }) => {
  const acts = watched(page)
  await openRoom(page)
  for (const { name, press, before } of goers)
    await test.step(name, async () => {
      await markLee(page)
      await before?.(page)
      const control = press(page)
      await control.focus()
      await page.keyboard.press('Enter')
      await expect(control).toHaveCount(0)
      expect(await focusedOn(page), name).not.toBe('BODY')
      acts.length = 0
      await typeOn(page)
      expect(acts, name).toEqual([])
    })
})

test('lists stand still under the pointer: a press is about the row that it was aimed at', async ({ page }) => {
  const acts = watched(page)
  // The trial before may leave the room muted, or not: then this is refused.
  await companion.rpc.rooms
    .act({ profileId: 'local', roomid, measure: { kind: 'muteRoom', on: false }, why: '' })
    .catch(() => undefined)
  // The keys that were tried before have muted them for a while.
  for (const target of ['lee', 'bo', 'ida', 'sam'])
    await companion.rpc.rooms.act({
      profileId: 'local',
      roomid,
      measure: { kind: 'temporaryMute', target, seconds: 0 },
      why: '',
    })
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  const aim = async (button: Locator): Promise<{ x: number; y: number }> => {
    const { x, y, width, height } = (await button.boundingBox())!
    const at = { x: x + width / 2, y: y + height / 2 }
    await page.mouse.move(at.x, at.y)
    await page.mouse.move(at.x + 1, at.y)
    return at
  }
  await tab(page, /^Held/)
  const waiting = page.getByText(/^\d+ changes? waits? until the pointer leaves$/)
  const line = await aim(heldLine(page).getByRole('button', { name: /^Drop/ }))
  const [, bo] = people as [LinkPerson, LinkPerson]
  for (const text of ['coins 4', 'coins 5'])
    await bo.request('roomSend', { roomid, type: 0, attach: text, clientId: text })
  await expect(waiting).toHaveText(/^2 changes wait/)
  await page.mouse.click(line.x, line.y)
  await expect.poll(() => acts).toEqual([expect.objectContaining({ kind: 'decideHeld', allow: false })])
  await page.mouse.move(0, 0)
  await expect(heldLine(page)).toHaveCount(0)
  for (const left of ['coins 4', 'coins 5'])
    await expect(page.getByRole('listitem').filter({ hasText: left })).toBeVisible()

  const measure = (target: string, on: boolean) =>
    companion.rpc.rooms.act({ profileId: 'local', roomid, measure: { kind: 'mute', target, on }, why: '' })
  await measure('lee', true)
  await tab(page, /^Muted, blacklisted/)
  acts.length = 0
  const lift = await aim(page.locator('li[data-accid="lee"]').getByRole('button', { name: /^Lift/ }))
  // They stand before the one that is aimed at.
  for (const accid of ['bo', 'ida']) await measure(accid, true)
  await expect(waiting).toBeVisible()
  await page.mouse.click(lift.x, lift.y)
  await expect.poll(() => acts).toEqual([expect.objectContaining({ kind: 'mute', target: 'lee', on: false })])
  for (const accid of ['bo', 'ida']) await measure(accid, false)
})

test('a search that is open takes no key of who comes back to it, and arrows lead from it into what was found', async ({
  page,
}) => {
  const acts = watched(page)
  await openPage(page, app)
  const screens = page.getByRole('navigation', { name: 'Screens' })
  await screens.getByRole('link', { name: 'Room' }).click()
  await expect(page.getByRole('log').getByText('line 60 of Lee')).toBeVisible()
  await page.keyboard.press('/')
  const search = page.getByRole('textbox', { name: 'Search' })
  await search.fill('line 5')
  await screens.getByRole('link', { name: 'Channels' }).click()
  await screens.getByRole('link', { name: 'Room' }).click()
  await expect(search).toHaveValue('line 5')
  await expect(search).not.toBeFocused()
  await search.press('ArrowDown')
  await expect(page.getByRole('log')).toBeFocused()
  await page.keyboard.press('m')
  await expect.poll(() => acts).toEqual([expect.objectContaining({ target: 'lee' })])
  await expect(search).toHaveValue('line 5')
})

test('a marked line is read to its end, and the count of newer ones covers none', async ({ page }) => {
  const say = (attach: string) =>
    companion.call('/chatroom/sendMsg.action', {
      roomid,
      msgId: attach.slice(0, 32),
      fromAccid: 'zoe',
      msgType: 0,
      attach,
    })
  // Nobody has muted her here.
  await companion.call('/user/create.action', { accid: 'zoe', name: 'ZOE', token: 'token-of-zoe' })
  await say(`long ${'words that go on '.repeat(100)}and end`)
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  const row = page.locator('[data-room-row]').filter({ hasText: 'and end' })
  const text = row.locator('.text')
  await expect(text).toBeVisible()
  const isWhole = () => text.evaluate((element) => element.scrollHeight <= element.clientHeight + 1)
  expect(await isWhole()).toBe(false)
  await row.click({ position: { x: 4, y: 4 } })
  await expect.poll(isWhole).toBe(true)
  await say('newer')
  const chip = page.getByRole('button', { name: /^1 new/ })
  await expect(chip).toBeVisible()
  // Up and down again: the last line that is shown is marked.
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  await expect
    .poll(async () => {
      const [line, over] = [await row.boundingBox(), await chip.boundingBox()]
      return line !== null && over !== null && line.y + line.height <= over.y
    })
    .toBe(true)
})
