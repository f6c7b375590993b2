import type { Words } from '../../format/languages.ts'
import { conversationsWords } from './words-conversations.ts'
import { teamsWords } from './words-teams.ts'
import { accountWords } from './words-account.ts'

/** Words of Messaging. */
export const messagingWords = {
  messaging: {
    title: { en: 'Messaging', zh: '消息' },
    parts: {
      label: { en: 'Parts of Messaging', zh: '消息的各部分' },
      conversations: { en: 'Conversations', zh: '会话' },
      accounts: { en: 'Accounts', zh: '账号' },
      teams: { en: 'Teams', zh: '群组' },
      words: { en: 'Words', zh: '词表' },
    },
    hosted: {
      conversations: {
        en: '{name} has a client link of its own: conversations are read and written through the API, without live updates and unread counts.',
        zh: '{name} 使用自己的客户端连接：会话通过 API 读写，没有实时更新和未读数。',
      },
      accounts: {
        en: '{name} does not list its accounts: those made or looked up here are shown. Sessions cannot be ended from here.',
        zh: '{name} 不提供账号列表：只显示在这里创建或查找过的账号，也不能从这里结束登录。',
      },
      teams: {
        en: '{name} has a client link of its own: invitations and applications cannot be answered here.',
        zh: '{name} 使用自己的客户端连接：不能在这里答复邀请和申请。',
      },
      words: {
        en: 'The word list of {name} is kept there. Only the list of this computer can be changed here.',
        zh: '{name} 的词表由该服务保存。这里只能修改本机的词表。',
      },
    },
    accidFault: { en: "1 to 32 letters, digits or _ {'@'} . -", zh: "1 到 32 个字母、数字或 _ {'@'} . -" },
    online: { en: 'Online', zh: '在线' },
    offline: { en: 'Offline', zh: '离线' },
    unread: { en: '{n} unread message | {n} unread messages', zh: '{n} 条未读消息' },
    clear: { en: 'Clear the search', zh: '清除搜索' },
    phase: {
      off: { en: 'Not signed in', zh: '未登录' },
      connecting: { en: 'Signing in', zh: '正在登录' },
      online: { en: 'Online', zh: '在线' },
      waiting: { en: 'Waiting for the service', zh: '等待服务' },
      refused: { en: 'Refused', zh: '被拒绝' },
    },
    signIn: {
      title: { en: 'Act as an account', zh: '选择账号身份' },
      lead: { en: 'Conversations are shown as one account sees them.', zh: '会话按一个账号看到的样子显示。' },
      account: { en: 'Account (accid)', zh: '账号（accid）' },
      token: { en: 'Token', zh: 'Token' },
      tokenHelp: { en: 'Empty: the token that is kept for this account.', zh: '留空则使用已为该账号保存的 Token。' },
      keep: {
        en: 'Keep the token in the keychain and sign in again at every start',
        zh: '将 Token 保存到钥匙串，每次启动自动登录',
      },
      keepSession: {
        en: 'Stay signed in until Sidestage ends: there is no keychain here to keep the token',
        zh: '保持登录到 Sidestage 结束：本机没有可保存 Token 的钥匙串',
      },
      submit: { en: 'Sign in', zh: '登录' },
      api: { en: 'Without signing in', zh: '不登录' },
      apiHelp: {
        en: 'Without signing in, messages are read and sent through the API: no live updates, no unread counts.',
        zh: '不登录时，消息通过 API 读取和发送：没有实时更新，也没有未读数。',
      },
      hosted: {
        en: 'Messages are read and sent through the API of this profile. No token is needed.',
        zh: '消息通过该配置的 API 读取和发送，不需要 Token。',
      },
    },
    actAs: {
      choose: { en: 'Choose an account', zh: '选择账号' },
      label: { en: 'Acting as {name}', zh: '当前身份：{name}' },
      signIn: { en: 'Sign in {name}…', zh: '登录 {name}…' },
      again: { en: 'Sign in {name} again…', zh: '重新登录 {name}…' },
      other: { en: 'Another account…', zh: '其他账号…' },
      signOut: { en: 'Sign out {name}…', zh: '退出 {name}…' },
    },
    signOut: {
      title: { en: 'Sign out {name}?', zh: '退出 {name}？' },
      body: {
        en: 'The account goes offline. Messages wait for it until it signs in again.',
        zh: '账号将离线。消息会等到它再次登录。',
      },
      kept: {
        en: 'The account goes offline. Its token stays in the keychain, so it can sign in again without it.',
        zh: '账号将离线。Token 仍保存在钥匙串中，再次登录无需填写。',
      },
      keptSession: {
        en: 'The account goes offline. Its token stays in memory until Sidestage ends, so it can sign in again without it.',
        zh: '账号将离线。Token 在内存中保留到 Sidestage 结束，再次登录无需填写。',
      },
      action: { en: 'Sign out', zh: '退出登录' },
      forget: { en: 'Sign out and delete the kept token', zh: '退出并删除保存的 Token' },
    },
    ask: {
      title: { en: 'Requests and news', zh: '请求与通知' },
      friend: { en: '{name} asks to be your friend.', zh: '{name} 请求加为好友。' },
      invitation: { en: '{name} invites you to the team {team}.', zh: '{name} 邀请加入群组 {team}。' },
      application: { en: '{name} asks to join the team {team}.', zh: '{name} 申请加入群组 {team}。' },
      accept: { en: 'Accept', zh: '接受' },
      refuse: { en: 'Refuse', zh: '拒绝' },
      drop: { en: 'Take this request off the list', zh: '从列表移除这条请求' },
    },
    news: {
      friendAdded: { en: '{name} added you as a friend.', zh: '{name} 已加为好友。' },
      friendAccepted: { en: '{name} accepted your request.', zh: '{name} 接受了好友请求。' },
      friendRejected: { en: '{name} rejected your request.', zh: '{name} 拒绝了好友请求。' },
      friendEnded: { en: '{name} ended the friendship.', zh: '{name} 解除了好友关系。' },
      invitationRefused: { en: '{name} refused the invitation to {team}.', zh: '{name} 拒绝了加入 {team} 的邀请。' },
      applicationRefused: { en: '{name} refused your application to {team}.', zh: '{name} 拒绝了加入 {team} 的申请。' },
      muted: { en: 'You are muted in {team}.', zh: '已在 {team} 中被禁言。' },
      unmuted: { en: 'You are no longer muted in {team}.', zh: '在 {team} 中的禁言已解除。' },
      drop: { en: 'Dismiss: {what}', zh: '关闭：{what}' },
    },
    ...conversationsWords,
    accounts: {
      search: { en: 'Search by accid or name', zh: '按 accid 或名称搜索' },
      searchHosted: { en: 'Search, or look up a whole accid', zh: '搜索，或查找完整的 accid' },
      searchLabel: { en: 'Search accounts', zh: '搜索账号' },
      refresh: { en: 'Refresh the accounts', zh: '刷新账号' },
      table: { en: 'Accounts', zh: '账号' },
      accid: { en: 'accid', zh: 'accid' },
      name: { en: 'Name', zh: '名称' },
      state: { en: 'State', zh: '状态' },
      blocked: { en: 'Blocked', zh: '已封禁' },
      stale: { en: 'The list could not be read again.', zh: '列表未能刷新。' },
      empty: {
        en: 'No accounts yet. An account is who talks: create the first one.',
        zh: '还没有账号。账号是对话的人：请创建第一个。',
      },
      emptyHosted: {
        en: 'No account was made or looked up here yet. Type a whole accid to look it up.',
        zh: '还没有在这里创建或查找过账号。输入完整的 accid 即可查找。',
      },
      noHit: { en: 'Nothing matches “{query}”.', zh: '没有匹配“{query}”的账号。' },
      partial: { en: 'Only accounts that are known here', zh: '仅显示这里已知的账号' },
      more: { en: 'Next 100', zh: '后 100 个' },
      choose: {
        en: 'Choose an account to see its card, friends, lists and sign-ins.',
        zh: '选择一个账号，查看名片、好友、名单和登录记录。',
      },
    },
    create: {
      title: { en: 'Create account', zh: '创建账号' },
      lead: {
        en: 'The service makes a token with which the account signs in. It is shown once.',
        zh: '服务会生成账号登录所用的 Token，只显示一次。',
      },
      accidHelp: {
        en: "Letters, digits and _ {'@'} . - ; upper case becomes lower case.",
        zh: "字母、数字和 _ {'@'} . - ；大写会变为小写。",
      },
      keep: { en: 'Keep the token in the keychain', zh: '将 Token 保存到钥匙串' },
      keepSession: {
        en: 'Keep the token in memory until Sidestage ends: there is no keychain here',
        zh: '将 Token 在内存中保留到 Sidestage 结束：本机没有钥匙串',
      },
      keepHelp: {
        en: 'The account can then sign in from here without entering it.',
        zh: '之后可在这里直接登录，无需再填写。',
      },
      submit: { en: 'Create account', zh: '创建账号' },
      exists: { en: 'The accid may exist already.', zh: '该 accid 可能已存在。' },
    },
    token: {
      title: { en: 'Token of {name}', zh: '{name} 的 Token' },
      once: {
        en: 'It is shown only now and kept nowhere. Copy it before closing.',
        zh: '只在此刻显示，不会保存。关闭前请先复制。',
      },
      kept: {
        en: 'It is shown only now, and is kept in the keychain for signing in from here.',
        zh: '只在此刻显示，并已保存到钥匙串供这里登录。',
      },
      keptSession: {
        en: 'It is shown only now. Sidestage has it until it ends: there is no keychain here to keep it.',
        zh: '只在此刻显示。Sidestage 结束前可用：本机没有可保存它的钥匙串。',
      },
      label: { en: 'Token', zh: 'Token' },
      copy: { en: 'Copy token', zh: '复制 Token' },
      copied: { en: 'The token is on the clipboard.', zh: 'Token 已在剪贴板上。' },
      copyFailed: {
        en: 'The clipboard could not be used. Select the token and copy it.',
        zh: '无法使用剪贴板。请选中 Token 后复制。',
      },
    },
    ...accountWords,
    card: {
      name: { en: 'Name', zh: '名称' },
      sign: { en: 'Signature', zh: '签名' },
      email: { en: 'Email', zh: '邮箱' },
      mobile: { en: 'Mobile number', zh: '手机号' },
      birth: { en: 'Birthday', zh: '生日' },
      icon: { en: 'Address of the avatar', zh: '头像地址' },
      ex: { en: 'Extension (JSON)', zh: '扩展（JSON）' },
      gender: { en: 'Gender', zh: '性别' },
      genders: {
        unknown: { en: 'Unknown', zh: '未知' },
        male: { en: 'Male', zh: '男' },
        female: { en: 'Female', zh: '女' },
      },
      mobileFault: { en: 'Enter a mobile number of mainland China.', zh: '请填写中国大陆的手机号。' },
      keeps: {
        en: 'The service cannot empty this again. Enter another value.',
        zh: '服务不能再清空此项。请填写其他值。',
      },
      save: { en: 'Save', zh: '保存' },
      saved: { en: 'Saved', zh: '已保存' },
    },
    events: {
      none: { en: 'No sign-in is recorded.', zh: '没有登录记录。' },
      in: { en: 'Signed in', zh: '登录' },
      out: { en: 'Signed out', zh: '退出' },
      refused: { en: 'Refused {code}', zh: '被拒绝 {code}' },
    },
    friends: {
      other: { en: 'Other account (accid)', zh: '对方账号（accid）' },
      how: { en: 'How', zh: '方式' },
      type: {
        1: { en: 'At once', zh: '直接添加' },
        2: { en: 'Ask', zh: '请求' },
        3: { en: 'Accept', zh: '接受' },
        4: { en: 'Reject', zh: '拒绝' },
      },
      do: {
        1: { en: 'Add', zh: '添加' },
        2: { en: 'Ask', zh: '请求' },
        3: { en: 'Accept', zh: '接受' },
        4: { en: 'Reject', zh: '拒绝' },
      },
      done: {
        1: { en: '{name} is a friend.', zh: '{name} 已是好友。' },
        2: { en: '{name} was asked.', zh: '已向 {name} 发出请求。' },
        3: { en: '{name} was accepted.', zh: '已接受 {name}。' },
        4: { en: '{name} was rejected.', zh: '已拒绝 {name}。' },
      },
      msg: { en: 'Text that goes along', zh: '附言' },
      none: { en: 'No friends yet.', zh: '还没有好友。' },
      alias: { en: 'Alias…', zh: '备注名…' },
      aliasTitle: { en: 'Alias of {name}', zh: '{name} 的备注名' },
      aliasLabel: { en: 'Alias', zh: '备注名' },
      end: { en: 'End the friendship…', zh: '解除好友关系…' },
      endTitle: { en: 'End the friendship with {name}?', zh: '解除与 {name} 的好友关系？' },
      endBody: {
        en: 'Both lose each other from their friends. The conversation stays.',
        zh: '双方都会从好友中移除。会话保留。',
      },
      endDo: { en: 'End the friendship', zh: '解除好友关系' },
    },
    lists: {
      blacklist: { en: 'Blacklist', zh: '黑名单' },
      blacklistLead: {
        en: 'Messages of these accounts are not delivered to this one.',
        zh: '这些账号的消息不会送达该账号。',
      },
      mutelist: { en: 'Mute list', zh: '静音名单' },
      mutelistLead: { en: 'Messages of these accounts come without a reminder.', zh: '这些账号的消息没有提醒。' },
      none: { en: 'Nobody is on it.', zh: '名单为空。' },
      add: { en: 'Add', zh: '添加' },
      takeOff: { en: 'Take off {name}', zh: '移除 {name}' },
    },
    people: {
      help: { en: 'accids with commas, spaces or lines between them', zh: 'accid 之间用逗号、空格或换行分隔' },
      fault: { en: '“{name}” is not an accid.', zh: '“{name}”不是 accid。' },
      most: { en: 'At most {n} accounts at once.', zh: '一次最多 {n} 个账号。' },
      needed: { en: 'Enter at least one account.', zh: '请至少填写一个账号。' },
    },
    ...teamsWords,
    words: {
      title: { en: 'Word list', zh: '词表' },
      lead: {
        en: 'A message with one of these words is not delivered, and its copy says so. The service answers its sender as always.',
        zh: '含有这些词的消息不会送达；发送者得到的答复与平常一样，消息抄送中会注明。',
      },
      label: { en: 'Words, one a line', zh: '词，每行一个' },
      how: {
        en: 'Whole words, whatever their case, marks and look-alike letters; Chinese, Japanese and Thai anywhere, also with spaces between. * at an end stands for any letters: damn*, *ship.',
        zh: '按整词匹配，不分大小写、附加符号和形近字母；中文、日文和泰文匹配任意位置，字间夹有空格也算。词首或词尾的 * 代表任意字母：damn*、*ship。',
      },
      count: { en: '{n} word | {n} words', zh: '{n} 个词' },
      most: { en: 'At most {n} words.', zh: '最多 {n} 个词。' },
      long: { en: '“{word}…” has more than {n} characters.', zh: '“{word}…”超过 {n} 个字符。' },
      hold: { en: 'Hold caught lines of rooms for a moderator', zh: '聊天室中被拦下的发言等待房管处理' },
      holdHelp: {
        en: 'Lines of chatrooms wait for review instead of being dropped.',
        zh: '聊天室的发言会等待审核，而不是直接丢弃。',
      },
      save: { en: 'Save the list', zh: '保存词表' },
    },
  },
} satisfies Words
