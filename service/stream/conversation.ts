/** The other end of a conversation: an account or a team. */
export type Peer = { readonly scene: 'p2p'; readonly accid: string } | { readonly scene: 'team'; readonly tid: number }

/** Key of a conversation of two accounts, equal for both. accids contain no colon. */
export const p2pConversation = (one: string, other: string): string =>
  one < other ? `p:${one}:${other}` : `p:${other}:${one}`
/** Key of a team. */
export const teamConversation = (tid: number): string => `t:${tid}`
/** Key of a conversation of one account. */
export const conversationWith = (accid: string, peer: Peer): string =>
  peer.scene === 'team' ? teamConversation(peer.tid) : p2pConversation(accid, peer.accid)

/** The other end as one account sees it. */
export function peerOf(accid: string, conversation: string): Peer {
  const [kind, one, other] = conversation.split(':')
  if (kind === 't') return { scene: 'team', tid: Number(one) }
  return { scene: 'p2p', accid: (one === accid ? other : one) ?? accid }
}
