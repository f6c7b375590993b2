import type { LinkAnswer, LinkArguments } from '../../contract/link/frames.ts'
import { accounts } from '../../contract/operations/index.ts'
import type { Client } from '../client/client.ts'
import type { PageRequest } from '../messaging/link-sessions.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { RpcImplementer } from './implementer.ts'
import type { ShowFile } from './ports.ts'

/** Procedures of messaging. */
export function messagingRouter(
  os: RpcImplementer['messaging'],
  ports: {
    readonly client: (profileId: string) => Promise<Client>
    readonly messaging: Messaging
    readonly showFile: ShowFile
  },
) {
  const { messaging } = ports
  const link =
    <K extends PageRequest>(kind: K) =>
    ({ input }: { input: { profileId: string; accid: string; call: LinkArguments<K> } }): Promise<LinkAnswer<K>> =>
      messaging.ask(input.profileId, input.accid, kind, input.call)

  return {
    createAccount: os.createAccount.handler(({ input }) =>
      messaging.createAccount(input.profileId, input.call, input.keep),
    ),
    refreshToken: os.refreshToken.handler(({ input }) =>
      messaging.refreshToken(input.profileId, input.accid, input.keep),
    ),
    accounts: os.accounts.handler(async ({ input }) => {
      const { complete, accounts: list } = await messaging.accounts(input.profileId, input.search, input.after)
      return { complete, accounts: list }
    }),
    setProps: os.setProps.handler(async ({ input }) => {
      await (await ports.client(input.profileId)).call(accounts.update, { accid: input.accid, props: input.props })
    }),
    upload: os.upload.handler(({ input }) => messaging.upload(input.profileId, input.content, input.type)),
    media: os.media.handler(({ input, context }) => ports.showFile(input.profileId, input.url, context.connection)),
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
