import type { Words } from '../../format/languages.ts'

/** Words of refusals. */
export const failureWords = {
  failure: {
    code: {
      sentence: {
        en: 'The service answered code {code}, which is not in its list.',
        zh: '服务返回了代码 {code}，不在其列表中。',
      },
      next: { en: 'Try again, then look at the log.', zh: '请重试，若仍失败请查看日志。' },
    },
    missing: {
      sentence: {
        en: 'The service does not know an account or thing that was named.',
        zh: '服务不认识所填的账号或对象。',
      },
      next: { en: 'Check the spelling; Details names it.', zh: '请检查拼写；“详情”中写明是哪一个。' },
    },
    present: {
      sentence: { en: 'An account of this name exists already.', zh: '该名称的账号已存在。' },
      next: { en: 'Choose another name.', zh: '请换一个名称。' },
    },
    changed: {
      sentence: {
        en: 'Somebody else has changed it meanwhile; nothing was changed.',
        zh: '其他人已在此期间做了修改，未做任何更改。',
      },
      next: { en: 'Look at it as it is now.', zh: '请查看现在的内容。' },
    },
    decided: {
      sentence: {
        en: 'Somebody else had decided this line already; nothing was changed.',
        zh: '其他人已先处理了这条发言，未做任何更改。',
      },
      next: { en: 'Look at the lines that still wait.', zh: '请查看仍在等待的发言。' },
    },
    outlasted: {
      sentence: {
        en: 'This person is muted for longer already; nothing was changed.',
        zh: '此人已被禁言更久，未做任何更改。',
      },
      next: { en: 'Shorten that mute on purpose, or leave it.', zh: '请明确缩短该禁言，或保持不变。' },
    },
    untold: {
      sentence: {
        en: 'Whether this moderator still is one could not be found out yet; nothing was changed.',
        zh: '暂时无法确认此房管是否仍是房管，未做任何更改。',
      },
      next: {
        en: 'Try again: the service has many members in this room, and the search goes on where it was.',
        zh: '请再试一次：该房间的成员很多，查找会从上次的位置继续。',
      },
    },
    unreachable: {
      sentence: { en: 'The host did not answer.', zh: '主机没有应答。' },
      next: { en: "Check the address and this computer's network.", zh: '请检查地址和本机网络。' },
    },
    refused: {
      sentence: {
        en: 'Nothing listens at this address: the connection was refused.',
        zh: '该地址上没有程序在监听：连接被拒绝。',
      },
      next: {
        en: 'Check the host and the port, or ask who runs the service whether it is running.',
        zh: '请检查主机和端口，或询问服务的运营者它是否在运行。',
      },
    },
    away: {
      sentence: {
        en: 'The host answers, but its service is not available at the moment.',
        zh: '主机有应答，但其服务暂时不可用。',
      },
      next: {
        en: 'Try again in a moment. If it stays so, tell who runs the service.',
        zh: '请稍后重试；若仍如此，请告知服务的运营者。',
      },
    },
    plain: {
      sentence: {
        en: 'An address beyond this computer needs https://; nothing was sent.',
        zh: '本机以外的地址需要 https://，没有发送任何内容。',
      },
      next: { en: 'Enter the address with https://.', zh: '请填写以 https:// 开头的地址。' },
    },
    certificate: {
      sentence: {
        en: "The host's certificate was not accepted; nothing was sent.",
        zh: '主机的证书未被接受，没有发送任何内容。',
      },
      next: {
        en: 'Check the address, or ask who runs the host to renew the certificate.',
        zh: '请检查地址，或请主机管理者更新证书。',
      },
    },
    clock: {
      sentence: {
        en: "This computer's clock is off by {seconds} s, so the signature was refused.",
        zh: '本机时间相差 {seconds} 秒，因此签名被拒绝。',
      },
      next: { en: 'Set the clock, then check again.', zh: '请校准时间，然后再检查。' },
    },
    signature: {
      sentence: {
        en: 'The service refused the signature and the clock is right, so the AppSecret is wrong.',
        zh: '服务拒绝了签名，而本机时间正确，因此 AppSecret 有误。',
      },
      next: { en: 'Enter the AppSecret again.', zh: '请重新填写 AppSecret。' },
    },
    secret: {
      sentence: { en: 'No AppSecret is kept for this profile.', zh: '此配置没有保存 AppSecret。' },
      next: { en: 'Open Settings, Profiles and enter it.', zh: '请在“设置 › 配置”中填写。' },
    },
    down: {
      sentence: { en: 'The service on this computer is not running.', zh: '本机服务没有运行。' },
      next: {
        en: 'It restarts by itself unless the app says otherwise. The cause is in its log.',
        zh: '除非应用另有说明，它会自行重启。原因见日志。',
      },
    },
    late: {
      sentence: { en: 'The service on this computer did not answer in time.', zh: '本机服务没有及时应答。' },
      next: { en: 'It may be busy. Try again in a moment.', zh: '服务可能正忙，请稍后重试。' },
    },
    notOurs: {
      sentence: { en: 'The host answered, but not with this API.', zh: '主机有应答，但不是此接口。' },
      next: { en: 'Check the live and the messaging base URL.', zh: '请检查直播和消息的基础地址。' },
    },
    absent: {
      sentence: { en: 'This no longer exists.', zh: '对象已不存在。' },
      next: { en: 'Refresh and look again.', zh: '请刷新后再看。' },
    },
    forbidden: {
      sentence: { en: 'Only the one who runs this stream can do this.', zh: '只有运行这场直播的人可以这样操作。' },
      next: { en: 'Ask them.', zh: '请联系对方。' },
    },
    folder: {
      sentence: { en: 'The data folder cannot be read.', zh: '数据文件夹无法读取。' },
      next: { en: 'Connect its disk, then try again.', zh: '请连接磁盘后重试。' },
    },
    readOnly: {
      sentence: {
        en: 'The disk with the data of Sidestage can only be read; nothing was changed.',
        zh: 'Sidestage 数据所在的磁盘只能读取，未做任何更改。',
      },
      next: { en: 'Make it writable, then try again.', zh: '请将磁盘改为可写，然后重试。' },
    },
    broken: {
      sentence: {
        en: 'The disk with the data of Sidestage answers with errors; nothing was changed.',
        zh: 'Sidestage 数据所在的磁盘报告错误，未做任何更改。',
      },
      next: { en: 'Check the disk, then try again.', zh: '请检查磁盘，然后重试。' },
    },
    full: {
      sentence: {
        en: 'The disk with the data of Sidestage is full; nothing was changed.',
        zh: 'Sidestage 数据所在的磁盘已满，未做任何更改。',
      },
      next: { en: 'Make room on it, then try again.', zh: '请腾出空间后重试。' },
    },
    unlogged: {
      sentence: {
        en: 'It was done and holds, but the log of actions could not be written.',
        zh: '操作已生效，但操作记录无法写入。',
      },
      next: {
        en: 'Make room on the disk, or make it writable; the log has this action without its outcome.',
        zh: '请为磁盘腾出空间，或将其改为可写；记录中有这项操作，但没有结果。',
      },
    },
    keychain: {
      sentence: { en: 'The keychain of this computer refused.', zh: '本机的钥匙串拒绝了操作。' },
      next: { en: 'Unlock it, then try again.', zh: '请解锁后重试。' },
    },
    internal: {
      sentence: { en: 'Sidestage had a fault; nothing was changed.', zh: 'Sidestage 内部出错，未做任何更改。' },
      next: { en: 'Try again, then look at the log.', zh: '请重试，若仍失败请查看日志。' },
    },
    input: {
      sentence: {
        en: 'What was entered cannot be taken: it is too long, has nothing that can be seen, or is not of the form that is asked for.',
        zh: '填写的内容太长、没有可见的文字，或不符合要求的格式，未做任何更改。',
      },
      next: { en: 'Correct it; Details says which value.', zh: '请改正；“详情”中有具体位置。' },
    },
    offline: {
      sentence: { en: 'The page is not connected to Sidestage.', zh: '页面没有连接到 Sidestage。' },
      next: { en: 'It connects again by itself; then try again.', zh: '会自动重连，之后再试。' },
    },
  },
  /** Of the disk of a service on another computer. */
  failureThere: {
    readOnly: {
      sentence: {
        en: 'The disk of the service can only be read; nothing was changed.',
        zh: '服务的磁盘只能读取，未做任何更改。',
      },
    },
    broken: {
      sentence: {
        en: 'The disk of the service answers with errors; nothing was changed.',
        zh: '服务的磁盘报告错误，未做任何更改。',
      },
    },
    full: {
      sentence: {
        en: 'The disk of the service is full; nothing was changed.',
        zh: '服务的磁盘已满，未做任何更改。',
      },
    },
  },
} satisfies Words
