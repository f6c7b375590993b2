import type { Words } from '../../format/languages.ts'

/** Words of one account. */
export const accountWords = {
  account: {
    about: { en: 'Account {name}', zh: '账号 {name}' },
    actAs: { en: 'Act as', zh: '以此身份' },
    block: { en: 'Block…', zh: '封禁…' },
    unblock: { en: 'Unblock', zh: '解除封禁' },
    token: { en: 'New token…', zh: '新 Token…' },
    end: { en: 'End sessions…', zh: '结束登录…' },
    kick: { en: 'Disconnect it now', zh: '立即断开其连接' },
    parts: {
      label: { en: 'Parts of the account', zh: '账号的各部分' },
      card: { en: 'Card', zh: '名片' },
      friends: { en: 'Friends', zh: '好友' },
      lists: { en: 'Blacklist and mute', zh: '黑名单与静音' },
      events: { en: 'Sign-ins', zh: '登录记录' },
    },
    ask: {
      block: { en: 'Block {name}?', zh: '封禁 {name}？' },
      token: { en: 'New token for {name}?', zh: '为 {name} 生成新 Token？' },
      end: { en: 'End the sessions of {name}?', zh: '结束 {name} 的登录？' },
    },
    body: {
      block: { en: 'The account cannot sign in until it is unblocked.', zh: '解除封禁之前，该账号不能登录。' },
      token: {
        en: 'The token until now is not taken for new sign-ins any more. Sessions that are open go on.',
        zh: '旧 Token 不能再用于新的登录，已有的登录不受影响。',
      },
      end: {
        en: 'Every session of the account is closed. It can sign in again.',
        zh: '该账号的所有登录都会断开。它可以再次登录。',
      },
    },
    do: {
      block: { en: 'Block', zh: '封禁' },
      token: { en: 'New token', zh: '生成新 Token' },
      end: { en: 'End sessions', zh: '结束登录' },
    },
    done: {
      block: { en: 'Blocked', zh: '已封禁' },
      unblock: { en: 'Unblocked', zh: '已解除封禁' },
      end: { en: 'Sessions ended', zh: '登录已结束' },
    },
  },
} satisfies Words
