import type { Locator } from 'playwright/test'
import { byEnter, freeWords, search, strict, words, type Form, type Stage } from './form.ts'

const account = async (stage: Stage, accid = 'ana', part?: string): Promise<Locator> => {
  await stage.go(`/messaging/accounts/${accid}`)
  const details = stage.page.locator('section.details')
  await details.waitFor()
  if (part) await details.getByRole('tab', { name: stage.say(`messaging.account.parts.${part}`) }).click()
  return details
}
const talk = async (stage: Stage): Promise<Locator> => {
  await stage.go('/messaging?scene=p2p&with=mei')
  const pane = stage.page.locator('section.pane')
  await pane.waitFor()
  return pane
}
const team = async (stage: Stage): Promise<Locator> => {
  await stage.go(`/messaging/teams/${stage.app.tid}`)
  const details = stage.page.locator('section.details')
  await details.waitFor()
  return details
}
/** Chooses in the menu of somebody in a list. */
const choose = async (stage: Stage, list: Locator, who: string, key: string): Promise<Locator> => {
  await list.getByRole('listitem').filter({ hasText: who }).locator('button[aria-haspopup=menu]').click()
  await stage.page.getByRole('menuitem', { name: stage.say(key) }).click()
  return stage.dialog
}

/** Dialogs and forms of Messaging. */
export const messagingForms: readonly Form[] = [
  {
    made: ['features/messaging/create-account.vue'],
    comes: strict,
    open: async (stage) => {
      await account(stage)
      await stage.press('messaging.create.title')
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/accounts-part.vue'],
    as: 'search',
    comes: search,
    fields: 'input[type=search]',
    // What is typed is looked for a moment later.
    send: async (_stage, form) => {
      if ((await form.locator('input[type=search]').inputValue()) !== '')
        await form.locator('.place, .table-stale').first().waitFor()
    },
    open: async (stage) => {
      await account(stage)
      return stage.page.locator('main .accounts .column')
    },
  },
  {
    made: ['features/messaging/account-card.vue'],
    comes: strict,
    open: async (stage) => (await account(stage)).locator('form'),
  },
  {
    made: ['features/messaging/account-card.vue'],
    as: 'nickname',
    comes: words,
    fields: 'input[name=name], input[name=sign]',
    open: async (stage) => (await account(stage, 'mei')).locator('form'),
  },
  {
    made: ['features/messaging/account-friends.vue'],
    comes: strict,
    open: async (stage) => (await account(stage, 'ana', 'friends')).locator('form'),
  },
  {
    made: ['features/messaging/text-dialog.vue', 'features/messaging/account-friends.vue'],
    as: 'alias',
    comes: { empty: 'sent', long: 'told', markup: 'taken', script: 'taken' },
    open: async (stage) => choose(stage, await account(stage, 'ana', 'friends'), 'mei', 'messaging.friends.alias'),
  },
  {
    made: ['features/messaging/account-lists.vue'],
    comes: strict,
    open: async (stage) => (await account(stage, 'ana', 'lists')).locator('form').first(),
  },
  {
    made: ['features/messaging/account-details.vue'],
    open: async (stage) => {
      await account(stage, 'mei')
      await stage.press('messaging.account.block')
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/token-dialog.vue', 'features/messaging/account-details.vue'],
    // What is shown once does not go with a key that was pressed by mistake.
    leave: 'word.close',
    open: async (stage) => {
      await account(stage, 'mei')
      await stage.press('messaging.account.token')
      await stage.press('messaging.account.do.token', {}, stage.dialog)
      await stage.dialog
        .getByText(stage.say('messaging.token.once'))
        .or(stage.dialog.getByText(stage.say('messaging.token.keptSession')))
        .first()
        .waitFor()
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/act-as.vue', 'features/messaging/sign-in-form.vue'],
    comes: strict,
    open: async (stage) => {
      await talk(stage)
      await stage.page.locator('main button.switch').click()
      await stage.page.getByRole('menuitem', { name: stage.say('messaging.actAs.other') }).click()
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/conversation-list.vue'],
    comes: search,
    send: byEnter,
    open: async (stage) => {
      await talk(stage)
      return stage.page.locator('main nav.index')
    },
  },
  {
    made: ['features/messaging/conversation-composer.vue', 'features/messaging/conversation-pane.vue'],
    comes: { empty: 'held', long: 'told', markup: 'taken', script: 'taken' },
    open: async (stage) => (await talk(stage)).locator('form.composer'),
  },
  {
    made: ['features/messaging/conversation-window.vue'],
    open: async (stage) => {
      await talk(stage)
      await stage.press('messaging.window.open')
      return stage.dialog
    },
  },
  {
    made: [
      'features/messaging/create-team.vue',
      'features/messaging/people-field.vue',
      'features/messaging/team-who.vue',
    ],
    comes: strict,
    open: async (stage) => {
      await team(stage)
      await stage.press('messaging.teams.create')
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/create-team.vue'],
    as: 'name',
    comes: words,
    given: { people: 'mei' },
    open: async (stage) => {
      await team(stage)
      await stage.press('messaging.teams.create')
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/teams-part.vue', 'features/messaging/text-dialog.vue'],
    comes: { ...strict, empty: 'held' },
    open: async (stage) => {
      await team(stage)
      await stage.press('messaging.teams.join')
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/team-add.vue', 'features/messaging/team-details.vue'],
    comes: strict,
    open: async (stage) => {
      await team(stage)
      await stage.press('messaging.team.add')
      return stage.dialog
    },
  },
  {
    made: ['features/messaging/team-info-form.vue'],
    comes: words,
    open: async (stage) => (await team(stage)).locator('form'),
  },
  {
    made: ['features/messaging/team-members.vue'],
    as: 'nickname',
    comes: { ...words, empty: 'held', markup: 'told' },
    open: async (stage) => choose(stage, await team(stage), 'mei', 'messaging.team.nick'),
  },
  {
    made: ['features/messaging/team-members.vue'],
    open: async (stage) => choose(stage, await team(stage), 'mei', 'messaging.team.kick'),
  },
  {
    made: ['features/messaging/words-part.vue'],
    comes: { ...freeWords, empty: 'held' },
    open: async (stage) => {
      await stage.go('/messaging/words')
      return stage.page.locator('section.words form')
    },
  },
]
