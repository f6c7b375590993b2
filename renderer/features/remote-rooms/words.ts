import type { Words } from '../../format/languages.ts'

/** Words of rooms moderated from here. */
export const joiningWords = {
  joining: {
    title: { en: 'Rooms I moderate', zh: '我管理的聊天室' },
    lead: {
      en: 'Rooms of streamers who invited you. They are shown as the streamer’s computer shows them; nothing of this computer is reached from there.',
      zh: '邀请你的主播的聊天室。内容来自主播的电脑；对方接触不到本机的任何内容。',
    },
    none: {
      en: 'None yet. Paste the link of an invitation to join the first one.',
      zh: '还没有。粘贴邀请链接，加入第一个。',
    },
    as: { en: 'as {name}', zh: '身份：{name}' },
    last: { en: 'Last shown {time}', zh: '上次打开 {time}' },
    unencrypted: { en: 'on this computer', zh: '在本机' },
    token: {
      session: { en: 'The token is kept until this app ends.', zh: 'token 保留到应用退出为止。' },
      missing: {
        en: 'The token is not kept any more. It is asked for when you open the room.',
        zh: 'token 已不在本机，打开聊天室时需要重新填写。',
      },
    },
    open: { en: 'Open', zh: '打开' },
    forget: {
      do: { en: 'Forget…', zh: '移除…' },
      title: { en: 'Forget {room}?', zh: '移除 {room}？' },
      body: {
        en: 'The token is deleted from this computer, and open pages of the room close. At the streamer your seat stays: joining again needs the token, and no new invitation.',
        zh: 'token 会从本机删除，已打开的页面会关闭。主播那边的席位仍在：再次加入只需 token，不需要新的邀请。',
      },
      now: { en: 'Forget', zh: '移除' },
    },
    form: {
      title: { en: 'Join as moderator', zh: '以房管身份加入' },
      lead: { en: 'Nothing is sent before you press Join.', zh: '按下“加入”之前不会发送任何内容。' },
      link: { en: 'Link of the invitation', zh: '邀请链接' },
      linkHelp: {
        en: 'It begins with sidestage:// or https://. The first one also carries the fingerprint.',
        zh: '以 sidestage:// 或 https:// 开头。前者还带有证书指纹。',
      },
      linkFault: { en: 'This is no link of an invitation.', zh: '这不是邀请链接。' },
      far: {
        en: 'Without encryption only a room on this computer can be joined. Ask the streamer for the link that begins with sidestage://.',
        zh: '未加密时只能加入本机的聊天室。请向主播索取以 sidestage:// 开头的链接。',
      },
      host: { en: 'Streamer’s computer', zh: '主播的电脑' },
      fingerprint: { en: 'SHA-256 fingerprint of its certificate', zh: '证书的 SHA-256 指纹' },
      fingerprintHelp: {
        en: 'The streamer sees it in Settings › Moderators. Take it by another way than the link, such as a call.',
        zh: '主播可在“设置 › 房管”中看到。请用链接以外的方式取得，例如通话。',
      },
      fingerprintFault: { en: '64 hex digits, with or without colons.', zh: '64 位十六进制数字，冒号可有可无。' },
      compared: { en: 'Compared before anything is sent', zh: '发送任何内容之前先核对' },
      accid: { en: 'Account (accid)', zh: '账号（accid）' },
      accidFault: { en: "1 to 32 small letters, digits or _ {'@'} . -", zh: "1 到 32 个小写字母、数字或 _ {'@'} . -" },
      token: { en: 'Token', zh: 'token' },
      tokenHelp: {
        en: 'Goes to the keychain of this computer, so that the next time is one click.',
        zh: '保存到本机的钥匙串，下次一键进入。',
      },
      tokenHelpSession: {
        en: 'Kept in memory until Sidestage ends, because there is no keychain here.',
        zh: '本机没有钥匙串，仅在内存中保留到 Sidestage 结束。',
      },
      code: { en: 'Code of the invitation', zh: '邀请码' },
      codeHelp: { en: 'It comes with the link and is needed the first time only.', zh: '随链接带来，仅第一次需要。' },
      missing: { en: 'Needed', zh: '必填' },
      do: { en: 'Join', zh: '加入' },
    },
    trouble: {
      offline: {
        title: { en: 'The streamer’s computer does not answer', zh: '主播的电脑没有应答' },
        text: {
          en: 'It is asleep, away, or not reachable from here. This page tries again by itself.',
          zh: '它可能在休眠、不在线，或从这里连不上。本页会自动重试。',
        },
      },
      changed: {
        title: { en: 'Another certificate than the one of the invitation', zh: '证书与邀请中的不同' },
        text: {
          en: 'Nothing was sent. Either the streamer has made a new certificate, or somebody else answers at this address. Ask the streamer, and join again with a new link.',
          zh: '没有发送任何内容。可能是主播更换了证书，也可能是别人在这个地址应答。请向主播确认，并用新的链接重新加入。',
        },
      },
      refused: {
        title: { en: 'Account, token or code were refused', zh: '账号、token 或邀请码被拒绝' },
        text: {
          en: 'The code is used up or over, the token was replaced, or it was mistyped. Check them, or ask the streamer to invite you again.',
          zh: '邀请码已用过或已过期，token 已更换，或输入有误。请核对，或请主播重新邀请。',
        },
      },
      ended: {
        title: { en: 'You are out of this room', zh: '你已不在这个聊天室' },
        text: {
          en: 'Your seat was taken back, or your token was replaced. Enter the new token, or ask the streamer to invite you again.',
          zh: '你的席位已被收回，或 token 已更换。请填写新的 token，或请主播重新邀请。',
        },
      },
      token: {
        title: { en: 'The token is not on this computer any more', zh: 'token 已不在本机' },
        text: { en: 'Enter the token that the streamer gave you.', zh: '请填写主播给你的 token。' },
      },
      notOurs: {
        title: { en: 'No Sidestage answers there', zh: '那里应答的不是 Sidestage' },
        text: {
          en: 'Something else answers at this address, or the streamer’s listener for moderators is off. Nothing secret was sent.',
          zh: '这个地址上是别的程序，或主播没有开启房管入口。没有发送任何机密。',
        },
      },
      elsewhere: {
        title: { en: 'The streamer’s computer does not know this address', zh: '主播的电脑不认识这个地址' },
        text: {
          en: 'It was reached by a name or port that is not its own. The streamer adds the name to the certificate, and forwards the same port.',
          zh: '访问它所用的名称或端口不是它自己的。请主播把该名称加入证书，并转发相同的端口。',
        },
      },
      plain: {
        title: { en: 'Not encrypted', zh: '未加密' },
        text: {
          en: 'Without encryption only a room on this computer is joined. Ask the streamer for the link that begins with sidestage://.',
          zh: '未加密时只能加入本机的聊天室。请向主播索取以 sidestage:// 开头的链接。',
        },
      },
      full: {
        title: {
          en: 'The disk of the streamer’s computer is full or cannot be written',
          zh: '主播电脑的磁盘已满或无法写入',
        },
        text: {
          en: 'Account and token are right, and nobody can sign in there now. Ask the streamer to look at the disk, then try again.',
          zh: '账号和 token 正确，但目前无法登录。请主播检查磁盘，然后重试。',
        },
      },
      gone: {
        title: { en: 'This room was forgotten here', zh: '这个聊天室已从本机移除' },
        text: { en: 'Join it again with an invitation.', zh: '用邀请重新加入。' },
      },
    },
    wait: { en: 'Several sign-ins failed. The next one counts in {n} s.', zh: '已多次登录失败。{n} 秒后才能再试。' },
    again: { en: 'Try again', zh: '重试' },
    signIn: { en: 'Sign in', zh: '登录' },
    back: { en: 'Rooms I moderate', zh: '我管理的聊天室' },
    trying: { en: 'Trying again…', zh: '正在重试…' },
  },
} satisfies Words
