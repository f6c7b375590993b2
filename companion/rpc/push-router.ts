import type { PushAddress } from '../channels/push-address.ts'
import { extendedOnly } from '../profiles/profiles.ts'
import type { RpcImplementer } from './implementer.ts'
import type { RouterPorts } from './ports.ts'

const keyShown = 4
const card = (address: PushAddress): { server: string; keyStart: string; keyEnd: string; expires: number | null } => ({
  server: address.server,
  keyStart: address.key.slice(0, keyShown),
  // A short key would be shown whole.
  keyEnd: address.key.length >= 4 * keyShown ? address.key.slice(-keyShown) : '',
  expires: address.expires,
})

/** Procedures of push addresses. */
export function pushRouter(
  os: RpcImplementer['push'],
  { client, addresses, profiles, clipboard }: Pick<RouterPorts, 'client' | 'addresses' | 'profiles' | 'clipboard'>,
) {
  const look = async ({ profileId, cid }: { readonly profileId: string; readonly cid: string }): Promise<PushAddress> =>
    addresses.look(profileId, cid, await client(profileId))

  return {
    card: os.card.handler(async ({ input }) => card(await look(input))),
    reveal: os.reveal.handler(async ({ input }) => ({ key: (await look(input)).key })),
    copy: os.copy.handler(async ({ input }) => {
      const address = await look(input)
      const text = input.part === 'key' ? address.key : address.url
      if (!clipboard) return { text }
      await clipboard(text)
      return { text: null }
    }),
    replaceKey: os.replaceKey.handler(async ({ input }) => {
      extendedOnly(profiles.isExtended, input.profileId)
      return card(await addresses.replace(input.profileId, input.cid, await client(input.profileId)))
    }),
    renew: os.renew.handler(async ({ input }) =>
      card(await addresses.renew(input.profileId, input.cid, await client(input.profileId))),
    ),
  }
}
