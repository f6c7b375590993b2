import type { Answer, Arguments, Operation } from '../../contract/operation.ts'
import type { Fields } from '../../contract/field.ts'
import type { LinkAnswer, LinkArguments } from '../../contract/link/frames.ts'
import { accounts, friends, history, local, messages, relations, teams } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import type { PageRequest } from '../messaging/link-sessions.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { TicketOwner } from '../relay/tickets.ts'
import type { RpcImplementer } from './implementer.ts'

/** Gives a path at which an uploaded file is shown until the page of `owner` is gone. Throws Failure. */
export type ShowFile = (profileId: string, url: string, owner: TicketOwner) => Promise<{ path: string }>

/** Implements the verbs of the Messaging screen: operations by signed calls, requests of the link by the sessions of accounts. */
export function messagingRouter(
  os: RpcImplementer['messaging'],
  ports: { readonly client: (profileId: string) => Promise<Client>; readonly messaging: Messaging; readonly showFile: ShowFile },
) {
  const { messaging } = ports
  const on =
    <P extends Fields, A extends Fields>(operation: Operation<P, A>) =>
    async ({ input }: { input: { profileId: string; call: Arguments<Operation<P, A>> } }): Promise<Answer<Operation<P, A>>> =>
      (await ports.client(input.profileId)).call(operation, input.call)
  const link =
    <K extends PageRequest>(kind: K) =>
    ({ input }: { input: { profileId: string; accid: string; call: LinkArguments<K> } }): Promise<LinkAnswer<K>> =>
      messaging.ask(input.profileId, input.accid, kind, input.call)

  return {
    createAccount: os.createAccount.handler(({ input }) => messaging.createAccount(input.profileId, input.call, input.keep)),
    refreshToken: os.refreshToken.handler(({ input }) => messaging.refreshToken(input.profileId, input.accid, input.keep)),
    accounts: os.accounts.handler(async ({ input }) => {
      const { complete, accounts: list } = await messaging.accounts(input.profileId, input.search, input.after)
      return { complete, accounts: list }
    }),
    endSessions: os.endSessions.handler(on(local.endSessions)),
    words: os.words.handler(on(local.words)),
    setWords: os.setWords.handler(on(local.setWords)),
    user: {
      update: os.user.update.handler(async ({ input }) => {
        await (await ports.client(input.profileId)).call(accounts.update, { accid: input.accid, props: input.props })
      }),
      block: os.user.block.handler(on(accounts.block)),
      unblock: os.user.unblock.handler(on(accounts.unblock)),
      updateCard: os.user.updateCard.handler(on(accounts.updateUinfo)),
      cards: os.user.cards.handler(on(accounts.getUinfos)),
      setDonnop: os.user.setDonnop.handler(on(accounts.setDonnop)),
      events: os.user.events.handler(on(history.userEvents)),
    },
    friend: {
      add: os.friend.add.handler(on(friends.add)),
      update: os.friend.update.handler(on(friends.update)),
      remove: os.friend.remove.handler(on(friends.remove)),
      get: os.friend.get.handler(on(friends.get)),
    },
    relation: { set: os.relation.set.handler(on(relations.set)), list: os.relation.list.handler(on(relations.list)) },
    message: {
      send: os.message.send.handler(on(messages.send)),
      sendBatch: os.message.sendBatch.handler(on(messages.sendBatch)),
      notify: os.message.notify.handler(on(messages.notify)),
      recall: os.message.recall.handler(on(messages.recall)),
      upload: os.message.upload.handler(({ input }) => messaging.upload(input.profileId, input.content, input.type)),
      media: os.message.media.handler(({ input, context }) => ports.showFile(input.profileId, input.url, context.connection)),
      session: os.message.session.handler(on(history.session)),
      team: os.message.team.handler(on(history.team)),
    },
    team: {
      create: os.team.create.handler(on(teams.create)),
      add: os.team.add.handler(on(teams.add)),
      kick: os.team.kick.handler(on(teams.kick)),
      remove: os.team.remove.handler(on(teams.remove)),
      update: os.team.update.handler(on(teams.update)),
      query: os.team.query.handler(on(teams.query)),
      changeOwner: os.team.changeOwner.handler(on(teams.changeOwner)),
      addManager: os.team.addManager.handler(on(teams.addManager)),
      removeManager: os.team.removeManager.handler(on(teams.removeManager)),
      joined: os.team.joined.handler(on(teams.joinTeams)),
      updateNick: os.team.updateNick.handler(on(teams.updateTeamNick)),
      mute: os.team.mute.handler(on(teams.muteTlist)),
      muteAll: os.team.muteAll.handler(on(teams.muteTlistAll)),
      muted: os.team.muted.handler(on(teams.listTeamMute)),
      quiet: os.team.quiet.handler(on(teams.muteTeam)),
      leave: os.team.leave.handler(on(teams.leave)),
    },
    signIn: os.signIn.handler(({ input }) => messaging.signIn(input.profileId, input.accid, input.token, input.keep)),
    signOut: os.signOut.handler(({ input }) => messaging.signOut(input.profileId, input.accid, input.forget)),
    sessions: os.sessions.handler(({ input }) => messaging.sessions(input.profileId)),
    link: {
      send: os.link.send.handler(link('send')),
      recall: os.link.recall.handler(link('recall')),
      read: os.link.read.handler(link('read')),
      unread: os.link.unread.handler(link('unread')),
      history: os.link.history.handler(link('history')),
      friend: os.link.friend.handler(link('friend')),
      friends: os.link.friends.handler(link('friends')),
      relation: os.link.relation.handler(link('relation')),
      watch: os.link.watch.handler(link('watch')),
      teams: os.link.teams.handler(link('teams')),
      teamInvite: os.link.teamInvite.handler(link('teamInvite')),
      teamApply: os.link.teamApply.handler(link('teamApply')),
      teamAnswer: os.link.teamAnswer.handler(link('teamAnswer')),
      teamLeave: os.link.teamLeave.handler(link('teamLeave')),
    },
  }
}
