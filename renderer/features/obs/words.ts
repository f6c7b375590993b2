import type { Words } from '../../format/languages.ts'

/** Words of OBS. */
export const obsWords = {
  obs: {
    title: { en: 'OBS', zh: 'OBS' },
    lead: {
      en: 'Once OBS is connected, one click sets server and key in it and starts it, and its figures stand here.',
      zh: '连接 OBS 后，一键即可写入服务器和推流密钥并开始推流，其数据也会显示在这里。',
    },
    leadShort: {
      en: 'Fills in server and key, starts and stops it from here, shows its figures.',
      zh: '自动填好服务器和密钥，可在这里开始和停止，并显示其数据。',
    },
    connectAsk: { en: 'Connect OBS…', zh: '连接 OBS…' },
    formTitle: { en: 'Connect OBS', zh: '连接 OBS' },
    where: {
      en: 'In OBS open Tools › WebSocket Server Settings, turn the server on, and take port and password from “Show Connect Info”. OBS 28 and newer have it.',
      zh: '在 OBS 中打开“工具 › WebSocket 服务器设置”，启用服务器，并从“显示连接信息”中取得端口和密码。需要 OBS 28 或更新版本。',
    },
    host: { en: 'Host', zh: '主机' },
    hostFault: { en: 'Enter a name or an IP address.', zh: '请填写主机名或 IP 地址。' },
    port: { en: 'Port', zh: '端口' },
    portFault: { en: 'Enter a port from 1 to 65535.', zh: '请填写 1 至 65535 的端口。' },
    password: { en: 'Password', zh: '密码' },
    passwordKept: { en: 'Leave empty to keep the present one.', zh: '留空则保留现有密码。' },
    passwordNone: {
      en: 'Kept in the keychain of this computer and never shown again. Leave empty when OBS asks for none.',
      zh: '保存在本机钥匙串中，不再显示。OBS 不需要密码时留空。',
    },
    passwordNoneSession: {
      en: 'Kept in memory until Sidestage ends, because there is no keychain here. Leave empty when OBS asks for none.',
      zh: '本机没有钥匙串，仅在内存中保留到 Sidestage 结束。OBS 不需要密码时留空。',
    },
    beyond: {
      en: 'OBS is on another computer: a hash of its password and the stream key in clear cross the network.',
      zh: 'OBS 在另一台计算机上：密码的哈希和明文推流密钥会经过网络。',
    },
    session: {
      en: 'The password is kept until the app ends: there is no keychain.',
      zh: '没有钥匙串，密码只保留到应用退出。',
    },
    connect: { en: 'Connect', zh: '连接' },
    off: { en: 'Disconnect', zh: '断开' },
    giveUp: { en: 'Stop trying', zh: '停止尝试' },
    forget: { en: 'Forget the password', zh: '忘记密码' },
    connecting: { en: 'Connecting to OBS at {place}.', zh: '正在连接 {place} 的 OBS。' },
    idle: { en: 'Connected. OBS does not stream.', zh: '已连接。OBS 没有推流。' },
    starting: { en: 'OBS is starting.', zh: 'OBS 正在开始推流。' },
    stopping: { en: 'OBS is stopping.', zh: 'OBS 正在停止推流。' },
    reconnecting: { en: 'OBS lost the service and connects again.', zh: 'OBS 与服务的连接中断，正在重新连接。' },
    here: { en: 'OBS streams to this channel.', zh: 'OBS 正在推流到此频道。' },
    toChannel: { en: 'OBS streams to {name}.', zh: 'OBS 正在推流到 {name}。' },
    elsewhere: { en: 'OBS streams somewhere else.', zh: 'OBS 正在推流到别处。' },
    goLive: { en: 'Set up and start', zh: '写入并开始推流' },
    goLiveAsk: { en: 'Set up and start…', zh: '写入并开始推流…' },
    replaces: {
      en: 'Server and key that are set in OBS now are replaced.',
      zh: '会替换 OBS 中现有的服务器和推流密钥。',
    },
    stop: { en: 'Stop', zh: '停止' },
    stopAsk: { en: 'Stop…', zh: '停止…' },
    stopTitle: { en: 'Stop OBS?', zh: '停止 OBS 推流？' },
    stopBody: { en: 'The broadcast on {name} ends for everyone who watches.', zh: '{name} 的直播会对所有观众结束。' },
    stopElsewhere: {
      en: 'OBS streams to another place than {name}. That stream ends for everyone who watches.',
      zh: 'OBS 没有推流到 {name}，而是推流到别处。该直播会对所有观众结束。',
    },
    insteadTitle: { en: 'OBS streams somewhere else', zh: 'OBS 正在推流到别处' },
    insteadBody: {
      en: 'That stream ends, then OBS is set to {name} and starts again.',
      zh: '该推流会结束，然后 OBS 改为推流到 {name} 并重新开始。',
    },
    instead: { en: 'Stop it and start here', zh: '停止并改推到这里' },
    disabled: { en: 'The channel is disabled. Resume it first.', zh: '频道已停用。请先恢复。' },
    again: { en: 'Next try in {seconds} s', zh: '{seconds} 秒后重试' },
    tryNow: { en: 'Try now', zh: '立即重试' },
    enter: { en: 'Enter the password', zh: '填写密码' },
    reason: {
      password: { en: 'OBS did not accept the password.', zh: 'OBS 未接受密码。' },
      noPassword: { en: 'OBS asks for a password.', zh: 'OBS 需要密码。' },
      absent: { en: 'Nothing answers at {place}.', zh: '{place} 没有应答。' },
      slow: { en: 'OBS at {place} did not answer in time.', zh: '{place} 的 OBS 没有及时应答。' },
      foreign: { en: 'What answers at {place} is not OBS.', zh: '{place} 的应答不是 OBS。' },
      version: {
        en: 'OBS at {place} speaks another version of the protocol.',
        zh: '{place} 的 OBS 使用其他版本的协议。',
      },
      flood: { en: 'More came from {place} than OBS ever sends.', zh: '{place} 发来的数据远多于 OBS。' },
      keychain: { en: 'The password could not be read from the keychain.', zh: '无法从钥匙串读取密码。' },
    },
    next: {
      password: {
        en: 'Copy it from Tools › WebSocket Server Settings in OBS.',
        zh: '请从 OBS 的“工具 › WebSocket 服务器设置”中复制。',
      },
      noPassword: {
        en: 'Copy it from Tools › WebSocket Server Settings in OBS.',
        zh: '请从 OBS 的“工具 › WebSocket 服务器设置”中复制。',
      },
      absent: { en: 'Start OBS, and turn on its WebSocket server.', zh: '请启动 OBS，并启用其 WebSocket 服务器。' },
      slow: { en: 'Look whether OBS is busy or shows a question.', zh: '请查看 OBS 是否繁忙或有待回答的提示。' },
      foreign: {
        en: 'Compare host and port with Tools › WebSocket Server Settings in OBS.',
        zh: '请将主机和端口与 OBS 的“工具 › WebSocket 服务器设置”核对。',
      },
      version: { en: 'Install OBS 28 or newer.', zh: '请安装 OBS 28 或更新版本。' },
      flood: {
        en: 'Compare host and port with Tools › WebSocket Server Settings in OBS.',
        zh: '请将主机和端口与 OBS 的“工具 › WebSocket 服务器设置”核对。',
      },
      keychain: { en: 'Unlock the keychain and try again.', zh: '请解锁钥匙串后重试。' },
    },
    outcome: {
      occupied: {
        en: 'Something else is still under way. Wait for it to end.',
        zh: '另一项操作仍在进行。请等待其结束。',
      },
      notConnected: {
        en: 'There is no connection with OBS. Nothing was changed.',
        zh: '没有与 OBS 的连接，未做任何更改。',
      },
      loopback: {
        en: 'OBS is on another computer and the service listens on this one only. Start the service with an RTMP address that OBS reaches.',
        zh: 'OBS 在另一台计算机上，而服务只在本机监听。请让服务使用 OBS 可以到达的 RTMP 地址。',
      },
      slow: {
        en: 'OBS did not answer in time. Look at OBS before you try again.',
        zh: 'OBS 没有及时应答。请先查看 OBS，再重试。',
      },
      notStarted: {
        en: 'OBS could not begin to stream. Look at the message in OBS, then at the key and the service.',
        zh: 'OBS 未能开始推流。请查看 OBS 中的提示，再检查推流密钥和服务。',
      },
    },
    rejected: {
      unknown: {
        en: 'This OBS does not know the request. Install OBS 28 or newer.',
        zh: '此 OBS 不认识这个请求。请安装 OBS 28 或更新版本。',
      },
      notReady: {
        en: 'OBS is still starting, or changes its scenes. Try again in a few seconds.',
        zh: 'OBS 仍在启动，或正在切换场景。请几秒后重试。',
      },
      request: {
        en: 'OBS did not take the request as it was sent. Install the newest OBS and Sidestage.',
        zh: 'OBS 未接受发送的请求。请安装最新的 OBS 和 Sidestage。',
      },
      running: {
        en: 'OBS streams already. Stop it there, then try again.',
        zh: 'OBS 已在推流。请先在 OBS 中停止，再重试。',
      },
      stopped: { en: 'OBS does not stream any more. Nothing was changed.', zh: 'OBS 已不在推流，未做任何更改。' },
      disabled: {
        en: 'Streaming is turned off in OBS. Look at Settings › Stream in OBS.',
        zh: 'OBS 中已关闭推流。请查看 OBS 的“设置 › 直播”。',
      },
      missing: {
        en: 'Something that OBS needs for this is missing or in use. Look at Settings › Stream and Output in OBS.',
        zh: 'OBS 所需的某一部分缺失或被占用。请查看 OBS 的“设置 › 直播”和“输出”。',
      },
      failed: {
        en: 'OBS tried and could not. Look at OBS: it may show a question or an error of the encoder.',
        zh: 'OBS 尝试后未能完成。请查看 OBS 是否有提示，或编码器是否报错。',
      },
      other: {
        en: 'OBS refused this. Look at OBS: it may show a question.',
        zh: 'OBS 拒绝了此操作。请查看 OBS 是否有提示。',
      },
    },
    code: { en: 'OBS code {code}', zh: 'OBS 代码 {code}' },
    figures: { en: 'Figures of OBS', zh: 'OBS 的数据' },
    figure: {
      kbps: { en: 'Bitrate', zh: '码率' },
      fps: { en: 'Frame rate', zh: '帧率' },
      dropped: { en: 'Network drops', zh: '网络丢帧' },
      congestion: { en: 'Congestion', zh: '拥塞' },
      skipped: { en: 'Encoder skips', zh: '编码跳帧' },
      lagged: { en: 'Drawn late', zh: '渲染延迟帧' },
      cpu: { en: 'CPU of OBS', zh: 'OBS 的 CPU' },
    },
    poor: {
      dropped: {
        en: 'The network is too slow for this bitrate. Lower it in OBS.',
        zh: '网络跟不上此码率。请在 OBS 中降低码率。',
      },
      congestion: {
        en: 'The network is too slow for this bitrate. Lower it in OBS.',
        zh: '网络跟不上此码率。请在 OBS 中降低码率。',
      },
      cpu: {
        en: 'Choose a faster preset or a hardware encoder in OBS.',
        zh: '请在 OBS 中选择更快的预设或硬件编码器。',
      },
    },
    from: {
      obs: { en: 'from OBS', zh: '来自 OBS' },
      bytes: { en: 'bytes of OBS', zh: 'OBS 字节数' },
    },
  },
} satisfies Words
