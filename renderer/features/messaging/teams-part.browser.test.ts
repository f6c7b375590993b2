import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import type { LinkPush } from '../../../contract/link/frames.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, service, starting, type MountOptions } from '../../testing/mounted.ts'
import { actingAs, pushed, quietMessaging, sessionEvent } from '../../testing/messaging-values.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { messagingWords } from './words.ts'
import TeamsPart from './teams-part.vue'

const en = spoken(frameWords, 'en')
const messagingEn = spoken(messagingWords, 'en')
const messagingZh = spoken(messagingWords, 'zh')

const { messaging: words } = messagingEn
const listed = (tid: number, tname: string, size = 4) => ({ owner: 'ana', tname, maxusers: 200, tid, size, custom: '' })
const team = (change: object = {}) => ({
  tid: 3001,
  tname: 'Crew',
  owner: 'ana',
  announcement: 'Doors open at nine.',
  intro: '',
  maxusers: 200,
  size: 4,
  joinmode: 1,
  mute: false,
  muteType: 0,
  createtime: began,
  updatetime: began,
  beinvitemode: 0,
  invitemode: 0,
  uptinfomode: 0,
  upcustommode: 0,
  admins: ['mei'],
  members: ['lee', 'tom'],
  ...change,
})
const show = (options: MountOptions & { readonly accid?: string } = {}) => {
  const part: Component = {
    render: () => h('div', { style: 'display: grid; width: 1300px; height: 800px' }, [h(TeamsPart)]),
  }
  return mounted(part, {
    path: '/messaging/teams',
    before: actingAs(options.accid ?? 'ana'),
    events: [sessionEvent(options.accid ?? 'ana')],
    ...options,
    answers: {
      ...quietMessaging,
      'operations.teams.joinTeams': () => ({ count: 2, infos: [listed(3001, 'Crew'), listed(3002, 'Guests', 1)] }),
      'operations.teams.query': () => ({ tinfos: [team()] }),
      'operations.teams.listTeamMute': () => ({ mutes: [{ nick: '', accid: 'tom', tid: 3001, type: 0 }] }),
      ...options.answers,
    },
  })
}
const about = (options: Parameters<typeof show>[0] = {}) => show({ path: '/messaging/teams/3001', ...options })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
const link = (name: string) =>
  page.getByRole('navigation', { name: words.parts.teams }).getByRole('link', { name: starting(name) })
const details = () => page.getByRole('region', { name: 'Team Crew' })
const member = (accid: string) =>
  details().getByRole('list', { name: words.team.members }).getByRole('listitem').filter({ hasText: accid })
const item = async (accid: string, what: string): Promise<void> => {
  await button(`Actions for ${accid}`).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
}
const refused = () => {
  throw failed({ kind: 'code', code: 403 })
}
const done = () => ({})

describe('the list of teams', () => {
  it('has name and size of each, and opens the one that is pressed', async () => {
    const { router, client } = await show()
    await expect.element(link('Crew')).toMatchTextContent('4 members')
    await expect.element(link('Guests')).toMatchTextContent('1 member')
    expect(client.inputs('operations.teams.joinTeams')[0]).toEqual({ profileId: 'local', call: { accid: 'ana' } })
    await link('Crew').click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/messaging/teams/3001')
    await expect.element(link('Crew')).toHaveAttribute('aria-current', 'page')
    await expect.element(details()).toBeVisible()
  })

  it('shows names as text', async () => {
    await show({ answers: { 'operations.teams.joinTeams': () => ({ count: 1, infos: [listed(1, '<b>Crew</b>')] }) } })
    await expect.element(link('<b>Crew</b>')).toBeVisible()
  })

  it('says that there is none yet', async () => {
    await show({ answers: { 'operations.teams.joinTeams': () => ({ count: 0, infos: [] }) } })
    await expect.element(page.getByText(words.teams.empty)).toBeVisible()
  })

  it('says why it could not be read, and tries again on request', async () => {
    const { client } = await show({ answers: { 'operations.teams.joinTeams': refused } })
    await expect.element(page.getByRole('alert')).toMatchTextContent('This account may not do that.')
    client.answer({ 'operations.teams.joinTeams': () => ({ count: 1, infos: [listed(3001, 'Crew')] }) })
    await button(en.word.retry).click()
    await expect.element(link('Crew')).toBeVisible()
  })

  it('asks for nothing while the service is down, and reads when it is back', async () => {
    const { client, tell } = await show({ events: [sessionEvent(), service('restarting')] })
    expect(client.inputs('operations.teams.joinTeams')).toEqual([])
    await tell(service('running'))
    await expect.element(link('Crew')).toBeVisible()
  })

  it('says what to choose, is read again on request, and lists twelve at a time', async () => {
    const many = Array.from({ length: 13 }, (_, index) =>
      listed(3001 + index, `Team ${String(index).padStart(2, '0')}`),
    )
    const { client } = await show({ answers: { 'operations.teams.joinTeams': () => ({ count: 13, infos: many }) } })
    await expect.element(page.getByText(words.teams.choose)).toBeVisible()
    await expect.element(link('Team 11')).toBeVisible()
    expect(link('Team 12').query()).toBeNull()
    await button('Next page').click()
    await expect.element(link('Team 12')).toBeVisible()
    const before = client.inputs('operations.teams.joinTeams').length
    await button(words.teams.refresh).click()
    await expect.poll(() => client.inputs('operations.teams.joinTeams').length).toBe(before + 1)
  })

  it('asks who to act as before anything else', async () => {
    const { client } = await show({ before: () => undefined, events: [] })
    await expect.element(page.getByRole('heading', { name: words.signIn.title })).toBeVisible()
    expect(client.inputs('operations.teams.joinTeams')).toEqual([])
  })

  it('speaks Chinese', async () => {
    await show({ language: 'zh' })
    await expect.element(button(messagingZh.messaging.teams.create)).toBeVisible()
  })
})

describe('a new team', () => {
  const fill = async (): Promise<void> => {
    await button(words.teams.create).click()
    await dialog().getByRole('textbox', { name: words.teams.name, exact: true }).fill(' Night crew ')
    await dialog().getByRole('textbox', { name: words.teams.members }).fill('mei, Tom；lee mei')
  }

  it('takes accounts in at once, each once, and is opened', async () => {
    const { client, router } = await show({ answers: { 'operations.teams.create': () => ({ tid: '3001' }) } })
    await fill()
    await inDialog(words.teams.createDo).click()
    await expect
      .poll(() => client.inputs('operations.teams.create'))
      .toEqual([
        {
          profileId: 'local',
          call: { tname: 'Night crew', owner: 'ana', members: ['mei', 'tom', 'lee'], magree: 0, msg: 'Night crew' },
        },
      ])
    await expect.poll(() => router.currentRoute.value.path).toBe('/messaging/teams/3001')
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('invites with a text of its own', async () => {
    const { client } = await show({ answers: { 'operations.teams.create': () => ({ tid: '3001' }) } })
    await fill()
    await dialog().getByRole('radio', { name: words.teams.invite, exact: true }).click()
    await dialog().getByRole('textbox', { name: words.teams.msg }).fill('come in')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('operations.teams.create').map(({ call }) => [call.magree, call.msg]))
      .toEqual([[1, 'come in']])
  })

  it('is not made without a name and accounts, or with what is no account', async () => {
    const { client } = await show()
    await button(words.teams.create).click()
    await inDialog(words.teams.createDo).click()
    await expect.element(dialog()).toMatchTextContent(words.people.needed)
    await dialog().getByRole('textbox', { name: words.teams.name, exact: true }).fill('Crew')
    await dialog().getByRole('textbox', { name: words.teams.members }).fill('mei, 小城')
    await expect.element(dialog()).toMatchTextContent('“小城” is not an accid.')
    await inDialog(words.teams.createDo).click()
    expect(client.inputs('operations.teams.create')).toEqual([])
  })

  it('begins empty at each opening, and is listed once it is made', async () => {
    const { client } = await show({ answers: { 'operations.teams.create': refused } })
    await fill()
    await inDialog(words.teams.createDo).click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    await inDialog(en.word.cancel).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    client.answer({
      ...quietMessaging,
      'operations.teams.create': () => ({ tid: '3003' }),
      'operations.teams.joinTeams': () => ({ count: 1, infos: [listed(3003, 'Night crew')] }),
      'operations.teams.query': () => ({ tinfos: [team({ tid: 3003, tname: 'Night crew' })] }),
      'operations.teams.listTeamMute': () => ({ mutes: [] }),
    })
    await button(words.teams.create).click()
    await expect.element(dialog().getByRole('textbox', { name: words.teams.name, exact: true })).toHaveValue('')
    await expect.element(dialog().getByRole('textbox', { name: words.teams.members })).toHaveValue('')
    expect(dialog().getByRole('alert').query()).toBeNull()
    expect(dialog().getByRole('textbox', { name: words.teams.msg }).query()).toBeNull()
    await inDialog(en.word.cancel).click()
    await fill()
    await inDialog(words.teams.createDo).click()
    await expect.element(link('Night crew')).toHaveAttribute('aria-current', 'page')
  })

  it('keeps the form open and says why it was refused', async () => {
    await show({ answers: { 'operations.teams.create': refused } })
    await fill()
    await inDialog(words.teams.createDo).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(dialog().getByRole('textbox', { name: words.teams.members })).toHaveValue('mei, Tom；lee mei')
  })
})

describe('joining a team', () => {
  const ask = async (tid: string): Promise<void> => {
    await button(words.teams.join).click()
    await dialog().getByRole('textbox', { name: words.teams.tid }).fill(tid)
    await userEvent.keyboard('{Enter}')
  }

  it.each([
    [true, 'You are in team 4711.'],
    [false, 'Team 4711 was asked. An admin answers.'],
  ])('says whether one is in at once: %s', async (joined, says) => {
    const { client } = await show({ answers: { 'messaging.link.teamApply': () => ({ joined }) } })
    await ask(' 4711 ')
    await expect.element(page.getByText(says)).toBeVisible()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('messaging.link.teamApply')).toEqual([
      { profileId: 'local', accid: 'ana', call: { tid: '4711' } },
    ])
  })

  it('says why it was refused, and no more so when it is asked again', async () => {
    await show({ answers: { 'messaging.link.teamApply': refused } })
    await ask('4711')
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await inDialog(en.word.cancel).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await button(words.teams.join).click()
    await expect.element(dialog().getByRole('textbox', { name: words.teams.tid })).toHaveValue('')
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('needs a session on the link', async () => {
    await show({ events: [] })
    await expect.element(button(words.teams.create)).toBeVisible()
    expect(button(words.teams.join).query()).toBeNull()
  })
})

describe('one team', () => {
  it('has its name, members with their roles, and who is muted', async () => {
    await about()
    await expect.element(details()).toMatchTextContent('4 of 200 members')
    await expect.element(details()).toMatchTextContent('ana owns this team.')
    await expect.element(member('ana')).toMatchTextContent(words.role.owner)
    await expect.element(member('mei')).toMatchTextContent(words.role.admin)
    await expect.element(member('tom')).toMatchTextContent(/Member.*Muted/)
    await expect.element(member('lee')).not.toMatchTextContent(words.team.isMuted)
  })

  it('says why it could not be read, and tries again on request', async () => {
    const { client } = await about({ answers: { 'operations.teams.query': refused } })
    const alert = page.getByRole('alert')
    await expect.element(alert).toMatchTextContent('This account may not do that.')
    client.answer({ 'operations.teams.query': () => ({ tinfos: [team()] }) })
    await button(en.word.retry).click()
    await expect.element(member('mei')).toBeVisible()
  })

  it('is left by a member after a question, and not offered to be dissolved', async () => {
    const { client, router } = await about({ accid: 'lee', answers: { 'operations.teams.leave': done } })
    expect(button(words.team.dissolve).query()).toBeNull()
    await button(words.team.leave).click()
    await expect.element(dialog()).toMatchTextContent(words.team.body.leave)
    expect(client.inputs('operations.teams.leave')).toEqual([])
    await inDialog(words.team.do.leave).click()
    await expect
      .poll(() => client.inputs('operations.teams.leave'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', accid: 'lee' } }])
    await expect.poll(() => router.currentRoute.value.path).toBe('/messaging/teams')
  })

  it('is dissolved by its owner after a question that says what is lost', async () => {
    const { client } = await about({ answers: { 'operations.teams.remove': done } })
    expect(button(words.team.leave).query()).toBeNull()
    await button(words.team.dissolve).click()
    await expect.element(dialog()).toMatchTextContent('All 4 members lose the team Crew')
    await expect.element(dialog()).toMatchTextContent(words.team.forGood)
    expect(client.inputs('operations.teams.remove')).toEqual([])
    await inDialog(words.team.do.dissolve).click()
    await expect
      .poll(() => client.inputs('operations.teams.remove'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'ana' } }])
  })

  it('says why it could not be dissolved, and no more so when it is asked again', async () => {
    await about({ answers: { 'operations.teams.remove': refused } })
    await button(words.team.dissolve).click()
    await inDialog(words.team.do.dissolve).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await inDialog(en.word.cancel).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await button(words.team.dissolve).click()
    await expect.element(dialog()).toMatchTextContent(words.team.forGood)
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('mutes all members by its switch, which only the owner has', async () => {
    const { client } = await about({ answers: { 'operations.teams.muteTlistAll': done } })
    await page.getByRole('switch', { name: words.team.muteAll }).click()
    await expect
      .poll(() => client.inputs('operations.teams.muteTlistAll'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'ana', mute: true } }])
  })

  it('has no switch of the owner, and reads no mutes, for an admin', async () => {
    const { client } = await about({ accid: 'mei' })
    await expect.element(page.getByRole('switch', { name: words.team.muteAll })).toBeDisabled()
    expect(client.inputs('operations.teams.listTeamMute')).toEqual([])
  })

  it('switches reminders off and on again', async () => {
    const { client } = await about({ answers: { 'operations.teams.muteTeam': done } })
    await button(words.team.quiet).click()
    await expect.element(page.getByText(words.team.quietOn)).toBeVisible()
    await button(words.team.reminders).click()
    await expect.element(page.getByText(words.team.quietOff)).toBeVisible()
    expect(client.inputs('operations.teams.muteTeam').map(({ call }) => call)).toEqual([
      { tid: '3001', accid: 'ana', ope: 1 },
      { tid: '3001', accid: 'ana', ope: 2 },
    ])
  })

  it('is not left or dissolved when the question is cancelled', async () => {
    const { client } = await about()
    await button(words.team.dissolve).click()
    await inDialog(en.word.cancel).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('operations.teams.remove')).toEqual([])
  })

  it('has nothing to leave or dissolve for an account that is not in it', async () => {
    await about({ accid: 'night' })
    await expect.element(details()).toMatchTextContent('night is not in this team.')
    expect(button(words.team.leave).query()).toBeNull()
    expect(button(words.team.dissolve).query()).toBeNull()
    await expect.element(page.getByRole('switch', { name: words.team.muteAll })).toBeDisabled()
  })

  it('says why all could not be muted or reminders be switched, and shows what still holds', async () => {
    await about({ answers: { 'operations.teams.muteTlistAll': refused, 'operations.teams.muteTeam': refused } })
    await page.getByRole('switch', { name: words.team.muteAll }).click()
    await expect.element(details().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(page.getByRole('switch', { name: words.team.muteAll })).not.toBeChecked()
    await button(words.team.quiet).click()
    await expect.element(button(words.team.quiet)).toBeVisible()
    expect(page.getByText(words.team.quietOn).query()).toBeNull()
  })

  it('lists fifteen members at a time', async () => {
    const members = Array.from({ length: 15 }, (_, index) => `m${String(index).padStart(2, '0')}`)
    await about({ answers: { 'operations.teams.query': () => ({ tinfos: [team({ admins: [], members })] }) } })
    await expect.element(member('m13')).toBeVisible()
    expect(member('m14').query()).toBeNull()
    await details().getByRole('button', { name: 'Next page' }).click()
    await expect.element(member('m14')).toBeVisible()
  })

  it('leads to its conversation', async () => {
    const { router } = await about()
    await details().getByRole('link', { name: words.team.conversation }).click()
    await expect.poll(() => router.currentRoute.value.query).toEqual({ scene: 'team', with: '3001' })
  })

  it('is read again when an application to it came', async () => {
    const { client, tell } = await about()
    const before = client.inputs('operations.teams.query').length
    const apply: LinkPush<'teamApply'> = {
      t: 'teamApply',
      seq: 3,
      at: began,
      tid: '3001',
      tname: 'Crew',
      from: 'tom',
      msg: '',
    }
    await tell(pushed(apply))
    await expect.poll(() => client.inputs('operations.teams.query').length).toBeGreaterThan(before)
  })
})

describe('a member of a team', () => {
  it.each([
    ['made admin', 'lee', words.team.admin, 'operations.teams.addManager', { members: ['lee'] }, 'lee is an admin.'],
    [
      'made an ordinary member',
      'mei',
      words.team.noAdmin,
      'operations.teams.removeManager',
      { members: ['mei'] },
      'mei is an ordinary member.',
    ],
    ['muted', 'lee', words.team.mute, 'operations.teams.muteTlist', { accid: 'lee', mute: 1 }, 'lee is muted.'],
    [
      'no longer muted',
      'tom',
      words.team.unmute,
      'operations.teams.muteTlist',
      { accid: 'tom', mute: 0 },
      'tom is no longer muted.',
    ],
  ] as const)('is %s by the owner', async (_case, accid, what, path, call, says) => {
    const { client } = await about({ answers: { [path]: done } })
    await item(accid, what)
    await expect.element(details().getByRole('status')).toHaveTextContent(says)
    expect(client.inputs(path)).toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'ana', ...call } }])
  })

  it('gets a nickname', async () => {
    const { client } = await about({ answers: { 'operations.teams.updateTeamNick': done } })
    await item('lee', words.team.nick)
    await dialog().getByRole('textbox', { name: words.team.nickLabel }).fill(' Lee ')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => client.inputs('operations.teams.updateTeamNick'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'ana', accid: 'lee', nick: 'Lee' } }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('is put out only after a question', async () => {
    const { client } = await about({ answers: { 'operations.teams.kick': done } })
    await item('lee', words.team.kick)
    await expect.element(dialog()).toMatchTextContent('lee does not get messages of the team any more')
    expect(client.inputs('operations.teams.kick')).toEqual([])
    await inDialog(words.team.do.kick).click()
    await expect
      .poll(() => client.inputs('operations.teams.kick'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'ana', member: 'lee' } }])
  })

  it('takes the team over, and the owner until then stays or leaves', async () => {
    const { client } = await about({ answers: { 'operations.teams.changeOwner': done } })
    await item('mei', words.team.handOver)
    await dialog().getByRole('radio', { name: words.team.go, exact: true }).click()
    await inDialog(words.team.do.handOver).click()
    await expect
      .poll(() => client.inputs('operations.teams.changeOwner'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'ana', newowner: 'mei', leave: 1 } }])
  })

  it('takes the team over, and the owner until then stays where nothing else is wished', async () => {
    const { client } = await about({ answers: { 'operations.teams.changeOwner': done } })
    await item('mei', words.team.handOver)
    await expect.element(dialog().getByRole('radio', { name: words.team.stay, exact: true })).toBeChecked()
    await inDialog(words.team.do.handOver).click()
    await expect.element(details().getByRole('status')).toHaveTextContent('mei owns the team.')
    expect(client.inputs('operations.teams.changeOwner')[0]?.call.leave).toBe(2)
  })

  it('that was put out is said to be, and team and list are read again', async () => {
    const { client } = await about({ answers: { 'operations.teams.kick': done } })
    await expect.element(member('lee')).toBeVisible()
    const before = [client.inputs('operations.teams.joinTeams').length, client.inputs('operations.teams.query').length]
    await item('lee', words.team.kick)
    expect(dialog().getByRole('radio').query()).toBeNull()
    await inDialog(words.team.do.kick).click()
    await expect.element(details().getByRole('status')).toHaveTextContent('lee is out.')
    await expect
      .poll(() => [client.inputs('operations.teams.joinTeams').length, client.inputs('operations.teams.query').length])
      .toEqual(before.map((count) => count + 1))
  })

  it('stays where it was refused to put them out, which the question says', async () => {
    await about({ answers: { 'operations.teams.kick': refused } })
    await item('lee', words.team.kick)
    await inDialog(words.team.do.kick).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
  })

  it('gets no empty nickname', async () => {
    const { client } = await about()
    await item('lee', words.team.nick)
    await dialog().getByRole('textbox', { name: words.team.nickLabel }).fill('  ')
    await userEvent.keyboard('{Enter}')
    await expect.element(inDialog(words.card.save)).toHaveAttribute('aria-disabled', 'true')
    expect(client.inputs('operations.teams.updateTeamNick')).toEqual([])
  })

  it('can only be put out by an admin, and nothing by another member', async () => {
    await about({ accid: 'mei' })
    await button('Actions for lee').click()
    await expect.element(page.getByRole('menuitem', { name: words.team.kick })).toBeVisible()
    expect(page.getByRole('menuitem').elements()).toHaveLength(1)
    expect(button('Actions for ana').query()).toBeNull()
  })

  it('is left alone by other members', async () => {
    await about({ accid: 'lee' })
    await expect.element(member('tom')).toBeVisible()
    expect(page.getByRole('button', { name: /^Actions for/ }).elements()).toEqual([])
  })

  it('says why something was refused, and not in the next dialog', async () => {
    await about({ answers: { 'operations.teams.muteTlist': refused } })
    await item('lee', words.team.mute)
    await expect.element(details().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await item('lee', words.team.nick)
    await expect.element(dialog().getByRole('textbox', { name: words.team.nickLabel })).toBeVisible()
    expect(dialog().getByRole('alert').query()).toBeNull()
  })
})

describe('accounts that come into a team', () => {
  const fill = async (): Promise<void> => {
    await button(words.team.add).click()
    await dialog().getByRole('textbox', { name: words.teams.members }).fill('night, day')
  }

  it('are in at once', async () => {
    const { client } = await about({ answers: { 'operations.teams.add': done } })
    await fill()
    await inDialog(words.team.do.add).click()
    await expect.element(page.getByText('2 accounts added')).toBeVisible()
    expect(client.inputs('operations.teams.add')).toEqual([
      { profileId: 'local', call: { tid: '3001', owner: 'ana', members: ['night', 'day'], magree: 0, msg: '3001' } },
    ])
  })

  it('are invited over the link by who is signed in', async () => {
    const { client } = await about({ answers: { 'messaging.link.teamInvite': done } })
    await fill()
    await dialog().getByRole('radio', { name: words.teams.invite, exact: true }).click()
    await dialog().getByRole('textbox', { name: words.teams.msg }).fill('come in')
    await inDialog(words.team.do.invite).click()
    await expect.element(page.getByText('2 accounts invited')).toBeVisible()
    expect(client.inputs('messaging.link.teamInvite')).toEqual([
      { profileId: 'local', accid: 'ana', call: { tid: '3001', accids: ['night', 'day'], msg: 'come in' } },
    ])
  })

  it('are invited through the API without a session on the link', async () => {
    const { client } = await about({ events: [], answers: { 'operations.teams.add': done } })
    await fill()
    await dialog().getByRole('radio', { name: words.teams.invite, exact: true }).click()
    await inDialog(words.team.do.invite).click()
    await expect.element(page.getByText('2 accounts invited')).toBeVisible()
    expect(client.inputs('operations.teams.add')[0]?.call).toMatchObject({ magree: 1, msg: '3001' })
  })

  it('are none again when the form is opened anew', async () => {
    const { client } = await about({ answers: { 'operations.teams.add': refused } })
    await fill()
    await inDialog(words.team.do.add).click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    await inDialog(en.word.cancel).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    await button(words.team.add).click()
    await expect.element(dialog().getByRole('textbox', { name: words.teams.members })).toHaveValue('')
    expect(dialog().getByRole('alert').query()).toBeNull()
    await inDialog(words.team.do.add).click()
    expect(client.inputs('operations.teams.add').length).toBe(1)
  })

  it('are not more than one call takes, which the form says', async () => {
    const { client } = await about()
    await button(words.team.add).click()
    const many = Array.from({ length: 201 }, (_, index) => `m${index}`).join(' ')
    await dialog().getByRole('textbox', { name: words.teams.members }).fill(many)
    await expect.element(dialog()).toMatchTextContent(/At most \d+ accounts at once\./)
    await inDialog(words.team.do.add).click()
    expect(client.inputs('operations.teams.add')).toEqual([])
  })

  it('are asked for where none was entered', async () => {
    const { client } = await about()
    await button(words.team.add).click()
    await inDialog(words.team.do.add).click()
    await expect.element(dialog()).toMatchTextContent(words.people.needed)
    expect(client.inputs('operations.teams.add')).toEqual([])
  })

  it('stay in the form where it was refused, which says why', async () => {
    await about({ answers: { 'operations.teams.add': refused } })
    await fill()
    await inDialog(words.team.do.add).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(dialog().getByRole('textbox', { name: words.teams.members })).toHaveValue('night, day')
  })
})

describe('information and modes of a team', () => {
  const form = () => page.getByRole('form', { name: words.team.info })
  const save = () => form().getByRole('button', { name: words.card.save, exact: true })
  const field = (name: string) => form().getByRole('textbox', { name, exact: true })

  it('are saved as far as they were changed', async () => {
    const { client } = await about({ answers: { 'operations.teams.update': done } })
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await field(words.team.field.tname).fill('New crew')
    await form().getByRole('radio', { name: words.team.modeValue.joinmode[0], exact: true }).click()
    await save().click()
    await expect.element(details().getByRole('status')).toHaveTextContent(words.card.saved)
    expect(client.inputs('operations.teams.update')).toEqual([
      { profileId: 'local', call: { tid: '3001', owner: 'ana', tname: 'New crew', joinmode: 0 } },
    ])
  })

  it('are emptied in a call of their own', async () => {
    const { client } = await about({ answers: { 'operations.teams.update': done } })
    await field(words.team.field.announcement).fill('')
    await save().click()
    await expect
      .poll(() => client.inputs('operations.teams.update'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'ana', announcement: '' } }])
  })

  it('are not saved without a name', async () => {
    const { client } = await about()
    await field(words.team.field.tname).fill('  ')
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await save().click({ force: true })
    expect(client.inputs('operations.teams.update')).toEqual([])
  })

  it('keep what is being typed when others changed the rest', async () => {
    const { client, tell } = await about()
    await field(words.team.field.intro).fill('typing')
    client.answer({
      'operations.teams.query': () => ({ tinfos: [team({ announcement: 'By mei', intro: 'By mei too' })] }),
    })
    const apply: LinkPush<'teamApply'> = {
      t: 'teamApply',
      seq: 3,
      at: began,
      tid: '3001',
      tname: 'Crew',
      from: 'x',
      msg: '',
    }
    await tell(pushed(apply))
    await expect.element(field(words.team.field.announcement)).toHaveValue('By mei')
    await expect.element(field(words.team.field.intro)).toHaveValue('typing')
  })

  it('are only read by a member, unless members may change the information', async () => {
    await about({ accid: 'lee' })
    await expect.element(form()).toMatchTextContent(words.team.readOnly)
    await expect.element(field(words.team.field.tname)).toBeDisabled()
    expect(save().query()).toBeNull()
  })

  it('have texts that a member changes where the team lets members, and modes that no member changes', async () => {
    const { client } = await about({
      accid: 'lee',
      answers: {
        'operations.teams.query': () => ({ tinfos: [team({ uptinfomode: 1 })] }),
        'operations.teams.update': done,
      },
    })
    await field(words.team.field.intro).fill('By lee')
    await expect
      .element(form().getByRole('radio', { name: words.team.modeValue.joinmode[0], exact: true }))
      .toBeDisabled()
    await save().click()
    await expect
      .poll(() => client.inputs('operations.teams.update'))
      .toEqual([{ profileId: 'local', call: { tid: '3001', owner: 'lee', intro: 'By lee' } }])
  })

  it('are changed by an admin', async () => {
    await about({ accid: 'mei' })
    await expect.element(field(words.team.field.tname)).toBeEnabled()
    await expect
      .element(form().getByRole('radio', { name: words.team.modeValue.joinmode[0], exact: true }))
      .toBeEnabled()
    await expect.element(form()).not.toMatchTextContent(words.team.readOnly)
  })

  it('say why they were refused, and keep what was entered', async () => {
    await about({ answers: { 'operations.teams.update': refused } })
    await field(words.team.field.tname).fill('New crew')
    await save().click()
    await expect.element(form().getByRole('alert')).toMatchTextContent('This account may not do that.')
    await expect.element(field(words.team.field.tname)).toHaveValue('New crew')
  })
})
