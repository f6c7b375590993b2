import type { Words } from '../../format/languages.ts'

/** Words of moderators on other computers. */
export const seatsWords = {
  seats: {
    section: { en: 'Moderators', zh: '房管' },
    title: { en: 'Moderators on other computers', zh: '其他电脑上的房管' },
    lead: {
      en: 'A moderator sees the picture and the room of one channel and acts under their own name. No AppSecret, push key or other channel reaches them.',
      zh: '房管能看到一个频道的画面和聊天室，并以自己的名义操作。AppSecret、推流密钥和其他频道都不会到达房管那里。',
    },
    invited: { en: 'Were you invited by somebody else?', zh: '有人邀请你做房管？' },
    toJoin: { en: 'Join as moderator', zh: '以房管身份加入' },
    noKeychain: {
      title: {
        en: 'There is no keychain here: tokens of moderators and the key of the certificate are forgotten when Sidestage ends.',
        zh: '本机没有钥匙串：Sidestage 结束后，房管的 token 和证书的私钥不再保留。',
      },
      text: {
        en: 'After a restart, browsers that are signed in stay in. Every other sign-in is refused, and others are let in only with a new certificate.',
        zh: '重新启动后，已登录的浏览器保持登录。其他登录都会被拒绝，重新生成证书后才能让其他电脑进来。',
      },
      next: {
        en: 'Then press “Invite again” at each moderator and hand over the new token, or set up a keychain before:',
        zh: '届时请对每位房管按“重新邀请”并转交新的 token，或事先设置钥匙串：',
      },
      toSecrets: { en: 'This computer, Secrets', zh: '本机 › 密钥保管' },
    },
    listener: {
      title: { en: 'Where they come in', zh: '房管从哪里进入' },
      off: { en: 'Off. Nobody can come in.', zh: '已关闭，无人能进入。' },
      listening: { en: 'Listening', zh: '正在监听' },
      failed: { en: 'Not listening', zh: '未能监听' },
      who: { en: 'Who can reach it', zh: '谁能访问' },
      here: { en: 'This computer only', zh: '仅本机' },
      others: { en: 'Also others', zh: '也允许其他电脑' },
      port: { en: 'Port', zh: '端口' },
      portHelp: { en: '0 takes any free one.', zh: '填 0 则取任意空闲端口。' },
      portFault: { en: 'A number from 0 to 65535.', zh: '请填写 0 到 65535 的数字。' },
      start: { en: 'Start listening', zh: '开始监听' },
      stop: { en: 'Stop listening', zh: '停止监听' },
      change: { en: 'Listen there', zh: '按此监听' },
      hereText: { en: 'Only browsers on this computer reach it.', zh: '只有本机的浏览器能访问。' },
      reachable: {
        en: 'Everybody who reaches this computer on port {port} can then open the sign-in page of moderators, and who signs in reaches their room and its picture. Settings, keys and other channels stay closed.',
        zh: '之后，凡能访问本机 {port} 端口的人都可以打开房管登录页；登录的人能访问其聊天室和画面。设置、密钥和其他频道仍不开放。',
      },
      mustReach: {
        en: 'The moderator must reach this computer: in the same network, over a VPN, or by a port that your router forwards to it.',
        zh: '房管必须能访问这台电脑：在同一网络中、通过 VPN，或经路由器转发到本机的端口。',
      },
      forwarded: {
        en: 'Over a VPN or a forwarded port, that address stands in place of the one in the link.',
        zh: '通过 VPN 或转发端口时，用那个地址代替链接中的地址。',
      },
      needsCertificate: {
        en: 'Others are let in over an encrypted connection only. Make a certificate below first, or enter one.',
        zh: '其他电脑只能通过加密连接进入。请先在下方生成或填写证书。',
      },
      failures: {
        en: '{n} sign-in failed since the app began. Each after the third is slowed down. | {n} sign-ins failed since the app began. Each after the third is slowed down.',
        zh: '应用启动以来有 {n} 次登录失败。第三次之后每次都会延迟。 | 应用启动以来有 {n} 次登录失败。第三次之后每次都会延迟。',
      },
      noFailures: { en: 'No sign-in failed since the app began.', zh: '应用启动以来没有登录失败。' },
    },
    certificate: {
      title: { en: 'Certificate', zh: '证书' },
      none: {
        en: 'None yet. Without one only this computer can be let in.',
        zh: '还没有证书。没有证书时只能让本机进入。',
      },
      made: {
        en: 'Made by Sidestage. Nobody vouches for it, so a browser warns: the moderator compares the fingerprint before going on.',
        zh: '由 Sidestage 生成，无人担保，因此浏览器会警告：房管在继续之前应核对指纹。',
      },
      supplied: { en: 'Entered by you.', zh: '由你填写。' },
      fingerprint: { en: 'SHA-256 fingerprint', zh: 'SHA-256 指纹' },
      until: { en: 'Good until {date}', zh: '有效期至 {date}' },
      unreadable: {
        en: 'Its key is not in the keychain any more, or it has ended. Make a new one or enter one.',
        zh: '密钥已不在钥匙串中，或证书已过期。请重新生成或填写。',
      },
      make: { en: 'Make a certificate', zh: '生成证书' },
      makeAgain: { en: 'Make a new certificate', zh: '重新生成证书' },
      names: { en: 'Other names and addresses of this computer', zh: '这台电脑的其他名称和地址' },
      namesHelp: {
        en: 'For a VPN or a forwarded port, for example stage.example. Addresses of this computer are in it anyway.',
        zh: '用于 VPN 或转发端口，例如 stage.example。本机地址总会包含在内。',
      },
      namesFault: {
        en: 'At most 8 host names or addresses, without https:// and port.',
        zh: '最多 8 个主机名或地址，不带 https:// 和端口。',
      },
      enter: { en: 'Enter one…', zh: '填写证书…' },
      cert: { en: 'Certificate with its chain (PEM)', zh: '证书及证书链（PEM）' },
      certFault: {
        en: 'Paste the text from -----BEGIN CERTIFICATE----- on.',
        zh: '请从 -----BEGIN CERTIFICATE----- 开始粘贴。',
      },
      key: { en: 'Private key (PEM)', zh: '私钥（PEM）' },
      keyFault: {
        en: 'Paste the text from -----BEGIN PRIVATE KEY----- on.',
        zh: '请从 -----BEGIN PRIVATE KEY----- 开始粘贴。',
      },
      keyHelp: {
        en: 'Goes to the keychain of this computer and is never shown again.',
        zh: '存入本机钥匙串，之后不再显示。',
      },
      keyHelpSession: {
        en: 'Kept in memory until Sidestage ends, because there is no keychain here. Never shown again.',
        zh: '本机没有钥匙串，仅在内存中保留到 Sidestage 结束，之后不再显示。',
      },
      use: { en: 'Use this certificate', zh: '使用此证书' },
      restarts: {
        en: 'With another certificate, pages of moderators that are open connect anew.',
        zh: '更换证书后，已打开的房管页面会重新连接。',
      },
    },
    invite: {
      title: { en: 'Invite a moderator', zh: '邀请房管' },
      room: { en: 'Room', zh: '聊天室' },
      noRooms: { en: 'There is no room yet. Make one in Room first.', zh: '还没有聊天室。请先在“聊天室”中创建。' },
      accid: { en: 'Account (accid)', zh: '账号（accid）' },
      accidHelp: {
        en: 'Made when there is no such account. One that is there gets a new token: the old one ends.',
        zh: '没有此账号时会创建。已有的账号会得到新的 token，旧的失效。',
      },
      accidFault: { en: "1 to 32 small letters, digits or _ {'@'} . -", zh: "1 到 32 个小写字母、数字或 _ {'@'} . -" },
      name: { en: 'Name', zh: '名称' },
      nameHelp: { en: 'As it stands in the room.', zh: '在聊天室中显示的名称。' },
      do: { en: 'Invite', zh: '邀请' },
    },
    made: {
      title: { en: 'Invitation for {name}', zh: '给 {name} 的邀请' },
      once: {
        en: 'Shown once. Hand link and token over by two different ways, then close this.',
        zh: '只显示一次。请用两种不同的途径分别转交链接和 token，然后关闭。',
      },
      which: {
        en: 'Hand over one of the two links. With Sidestage on their own computer a moderator takes the first: the app compares the certificate by itself. Anybody else takes the second.',
        zh: '两个链接转交一个即可。房管自己的电脑上有 Sidestage 时用第一个：应用会自动核对证书。其他人用第二个。',
      },
      appLink: { en: 'Link for Sidestage', zh: '用于 Sidestage 的链接' },
      link: { en: 'Link for a browser', zh: '用于浏览器的链接' },
      noLink: {
        en: 'There is no link while nothing listens. Start listening above, then invite again.',
        zh: '未监听时没有链接。请先在上方开始监听，再重新邀请。',
      },
      hereOnly: {
        en: 'This link works on this computer only. Let others in above and invite again for a moderator elsewhere.',
        zh: '此链接只能在本机使用。若房管在别处，请先在上方允许其他电脑，再重新邀请。',
      },
      code: { en: 'Code, good once within 24 h', zh: '邀请码，24 小时内可用一次' },
      accid: { en: 'Account', zh: '账号' },
      token: { en: 'Token', zh: 'token' },
      show: { en: 'Show code and token', zh: '显示邀请码和 token' },
      hide: { en: 'Hide code and token', zh: '隐藏邀请码和 token' },
      copy: {
        appLink: { en: 'Copy link for Sidestage', zh: '复制用于 Sidestage 的链接' },
        link: { en: 'Copy link for a browser', zh: '复制用于浏览器的链接' },
        code: { en: 'Copy code', zh: '复制邀请码' },
        accid: { en: 'Copy account', zh: '复制账号' },
        token: { en: 'Copy token', zh: '复制 token' },
        fingerprint: { en: 'Copy fingerprint', zh: '复制指纹' },
      },
      copied: { en: 'Copied.', zh: '已复制。' },
      notCopied: {
        en: 'The browser does not let this page copy. Select the text instead.',
        zh: '浏览器不允许此页面复制。请改为选中文字。',
      },
      warns: {
        en: 'The browser will warn, since this certificate was made here. Going on is right only when the certificate that it shows has this fingerprint:',
        zh: '证书由本机生成，浏览器会警告。只有浏览器显示的证书是以下指纹时才能继续：',
      },
      done: { en: 'Done, hide it', zh: '完成并隐藏' },
    },
    list: {
      title: { en: 'Seats', zh: '席位' },
      none: { en: 'Nobody was invited in this profile yet.', zh: '此配置中还没有邀请过房管。' },
      states: {
        invited: { en: 'Invited', zh: '已邀请' },
        active: { en: 'Active', zh: '使用中' },
        revoked: { en: 'Taken back', zh: '已收回' },
      },
      room: { en: 'Room {room}', zh: '聊天室 {room}' },
      codeUntil: { en: 'Code good until {time}', zh: '邀请码有效至 {time}' },
      codeOver: { en: 'The code is over. Invite again.', zh: '邀请码已过期。请重新邀请。' },
      pages: { en: '{n} page open | {n} pages open', zh: '{n} 个页面已打开 | {n} 个页面已打开' },
      browsers: { en: '{n} browser signed in | {n} browsers signed in', zh: '{n} 个浏览器已登录 | {n} 个浏览器已登录' },
      never: { en: 'None yet', zh: '尚无' },
      actions: {
        say: { en: 'Said something', zh: '发言' },
        signIn: { en: 'Signed in', zh: '登录' },
        signOut: { en: 'Signed out', zh: '退出登录' },
      },
      inviteAgain: { en: 'Invite again', zh: '重新邀请' },
      revoke: { en: 'Take back…', zh: '收回…' },
      forget: { en: 'Forget', zh: '移除' },
    },
    revoke: {
      title: { en: 'Take back the seat of {name}?', zh: '收回 {name} 的席位？' },
      body: {
        en: 'Pages of {name} close at once and cannot sign in again. The account {accid} stops being a moderator of the room, gets a new token, and its sessions on the link are ended.',
        zh: '{name} 的页面会立即关闭，且不能再登录。账号 {accid} 不再是聊天室的房管，其 token 会更换，在长连接上的会话会结束。',
      },
      do: { en: 'Take back', zh: '收回' },
      done: { en: 'The seat of {name} is taken back.', zh: '{name} 的席位已收回。' },
      partly: {
        service: {
          en: 'The pages of {name} are closed, but the service has not done everything yet. Sidestage goes on by itself as soon as the service answers.',
          zh: '{name} 的页面已关闭，但服务尚未完成全部步骤。服务一有应答，Sidestage 会自动继续。',
        },
        disk: {
          en: 'The pages of {name} are closed, but it could not be saved on this computer. Sidestage tries again by itself; make room on the disk.',
          zh: '{name} 的页面已关闭，但未能保存到本机。Sidestage 会自动重试；请在磁盘上腾出空间。',
        },
        both: {
          en: 'The pages of {name} are closed, but it could not be saved, and the service has not done everything yet. Sidestage tries both again by itself.',
          zh: '{name} 的页面已关闭，但未能保存，服务也尚未完成全部步骤。Sidestage 会自动重试这两项。',
        },
      },
      between: { en: ', ', zh: '、' },
      left: {
        en: 'Not done yet: {steps}. Tried again by itself as soon as the service answers.',
        zh: '尚未完成：{steps}。服务一有应答就会自动重试。',
      },
      again: { en: 'Once more', zh: '再次收回' },
      steps: {
        sessions: { en: 'Pages closed, sign-ins refused', zh: '页面已关闭，不能再登录' },
        kept: { en: 'Saved on this computer', zh: '已保存到本机' },
        role: { en: 'No moderator of the room any more', zh: '不再是聊天室的房管' },
        token: { en: 'Token replaced', zh: 'token 已更换' },
        link: { en: 'Sessions on the link ended', zh: '长连接会话已结束' },
      },
      ok: { en: 'done', zh: '完成' },
      failed: { en: 'not done', zh: '未完成' },
    },
  },
  seatPage: {
    signIn: { en: 'Sign in as a moderator', zh: '房管登录' },
    lead: { en: 'With the account and the token that the streamer gave you.', zh: '使用主播给你的账号和 token。' },
    accid: { en: 'Account (accid)', zh: '账号（accid）' },
    token: { en: 'Token', zh: 'token' },
    code: { en: 'Code of the invitation', zh: '邀请码' },
    codeHelp: { en: 'Needed the first time only. It comes with the link.', zh: '仅第一次需要，随链接带来。' },
    do: { en: 'Sign in', zh: '登录' },
    missing: { en: 'Enter account and token.', zh: '请填写账号和 token。' },
    refused: {
      en: 'Account, token or code are not right, or the code is over. Check them, or ask the streamer to invite you again.',
      zh: '账号、token 或邀请码不正确，或邀请码已过期。请核对，或请主播重新邀请。',
    },
    wait: { en: 'Several sign-ins failed. The next one counts in {n} s.', zh: '已多次登录失败。{n} 秒后才能再试。' },
    full: {
      en: 'The disk of the streamer’s computer is full or cannot be written, so nobody can sign in. Ask the streamer to look at it, then try again.',
      zh: '主播电脑的磁盘已满或无法写入，无法登录。请主播检查磁盘，然后重试。',
    },
    offline: {
      en: 'The streamer’s computer did not answer. Check the connection and try again.',
      zh: '主播的电脑没有应答。请检查网络后重试。',
    },
    ended: {
      en: 'Your seat was taken back, or this browser was signed out. Ask the streamer to invite you again.',
      zh: '你的席位已被收回，或此浏览器已退出登录。请主播重新邀请。',
    },
    left: { en: 'You are signed out.', zh: '已退出登录。' },
    role: { en: 'Moderator', zh: '房管' },
    signOut: { en: 'Sign out', zh: '退出登录' },
    signOutFailed: {
      en: 'Not signed out: the streamer’s computer did not answer.',
      zh: '未能退出登录：主播的电脑没有应答。',
    },
    look: { en: 'Look', zh: '外观' },
    theme: { en: 'Theme', zh: '主题' },
    language: { en: 'Language', zh: '语言' },
    themes: {
      dark: { en: 'Dark', zh: '深色' },
      light: { en: 'Light', zh: '浅色' },
      system: { en: 'System', zh: '跟随系统' },
    },
    systemLanguage: { en: 'System', zh: '跟随系统' },
    fault: {
      en: 'The streamer’s service is away. It comes back by itself or when they start it.',
      zh: '主播的服务暂时不可用，会自行恢复，或由主播重新启动。',
    },
    noRoom: {
      en: 'The room was not found. Ask the streamer whether it is still there.',
      zh: '没有找到聊天室。请向主播确认它是否还在。',
    },
    outside: {
      en: 'The streamer’s app is not in the room. Lines show when it is.',
      zh: '主播的应用不在聊天室中。进入后才会显示发言。',
    },
    guardAdmin: {
      en: 'Only the host can do this to a moderator. Ask the host, or choose another person.',
      zh: '只有主播能对房管这样操作。请联系主播，或选择其他人。',
    },
    closed: { en: 'The host has closed the room.', zh: '主播已关闭聊天室。' },
  },
} satisfies Words
