package demo

var german = tongue{
	given:  []name{{"Lena", "lena"}, {"Jürgen", "juergen"}, {"Anke", "anke"}, {"Matthias", "matthias"}, {"Özlem", "oezlem"}, {"Frieda", "frieda"}, {"Karsten", "karsten"}, {"Ute", "ute"}, {"Emil", "emil"}},
	family: []name{{"Krüger", "krueger"}, {"Weiß", "weiss"}, {"Baumann", "baumann"}, {"Yılmaz", "yilmaz"}, {"Vogel", "vogel"}, {"Schäfer", "schaefer"}, {"Brandt", "brandt"}},
	bios:   []string{"Kaffee, Katzen, Kabelsalat.", "Buchhändlerin aus Überzeugung.", "Fährt Rad, auch bei Regen.", "Lehrer. Korrigiert nur beruflich.", ""},
	statements: []string{
		"Heute {tun} und dabei {essen} gegessen. Mehr braucht es nicht.",
		"Hat jemand Erfahrung mit {ding}? Meins macht seltsame Geräusche.",
		"Am {ort} sitzt {tier} und schaut vorwurfsvoll.",
		"Wer kommt Samstag mit zum {ort}? Ich bringe {essen} mit.",
		"Der Zug hat 40 Minuten Verspätung. Ich lese {ding}-Anleitungen zum Zeitvertreib.",
		"Endlich fertig: {ding}. Schief, aber selbst gemacht.",
		"Frage an alle: {essen} lieber warm oder kalt?",
		"Gestern {tun}, heute Muskelkater.",
		"Kleine Freude: {tier} im Garten, mitten in der Stadt.",
		"Das Wetter am {ort} ist besser als sein Ruf.",
	},
	replies: []string{"Das kenne ich gut.", "Mit {essen} wird es noch besser.", "Wo genau am {ort}?", "Bitte ein Foto!", "Danke, das hat mir den Tag gerettet.", "Sehe ich anders, aber schön geschrieben.", "Bin Samstag dabei."},
	heckles: []string{
		"Halt einfach den Mund, dich will hier keiner.", "So dumm kann man doch gar nicht sein.", "Verschwinde endlich aus dem Netz.", "Wir wissen, wo du arbeitest.",
	},
	complaints: []string{"Beleidigt seit Tagen Leute in den Antworten.", "Das ist eine Drohung, bitte prüfen.", "Hetze. Bitte Account ansehen.", "Ich habe ihn gebeten aufzuhören, es geht weiter."},
	tags:       []string{"garten", "fahrrad", "brot", "bahn", "katzen", "fotografie", "buch"},
	warnings:   []string{"Essen", "Gesundheit", "Arbeit", "Politik", "lang"},
	words: map[string][]string{
		"tun":   {"den Keller aufgeräumt", "Brot gebacken", "die Heizung entlüftet", "alte Dias sortiert", "Kartoffeln gesetzt", "das Klavier gestimmt"},
		"ding":  {"ein altes Radio", "eine Nähmaschine", "ein Regal", "ein Lastenrad", "eine Schreibmaschine"},
		"ort":   {"Kanal", "Bahnhof", "Hafen", "Marktplatz", "Schrebergarten", "alten Leuchtturm"},
		"tier":  {"ein Reiher", "eine dicke Katze", "ein Igel", "die Nachbarsziege", "ein Fuchs"},
		"essen": {"Linsensuppe", "Apfelkuchen", "Kartoffelsalat", "Grießbrei", "Brezeln"},
	},
}

var french = tongue{
	given:  []name{{"Élodie", "elodie"}, {"Baptiste", "baptiste"}, {"Aïcha", "aicha"}, {"Zoé", "zoe"}, {"Étienne", "etienne"}, {"Margaux", "margaux"}, {"Rémi", "remi"}},
	family: []name{{"Lefèvre", "lefevre"}, {"Diallo", "diallo"}, {"Moreau", "moreau"}, {"Garçon", "garcon"}, {"Benali", "benali"}, {"Roussel", "roussel"}},
	bios:   []string{"Café noir et mots croisés.", "Institutrice, marcheuse, bavarde.", "Je répare des vélos.", ""},
	statements: []string{
		"Ce matin {lieu} était vide, à part {animal}.", "Quelqu'un sait réparer {objet} ? Le mien fait un drôle de bruit.",
		"J'ai passé la soirée à {faire}. Aucun regret.", "Petit bonheur du jour : {plat} et un bon livre.",
		"Rendez-vous samedi à {lieu}, j'apporte {plat}.", "Trois heures à {faire}, et c'est {animal} qui a gagné.",
		"Avis impopulaire : {plat}, c'est meilleur froid.", "Il pleut sur {lieu}, comme dans une chanson.",
	},
	replies:    []string{"Exactement pareil ici.", "Une photo, s'il te plaît !", "Avec {plat}, c'est encore mieux.", "C'est où, près de {lieu} ?", "Merci, ça fait du bien à lire.", "Pas d'accord, mais joliment dit."},
	heckles:    []string{"Personne ne t'a demandé ton avis, dégage.", "Tu es la honte de ce réseau.", "Ferme ton compte, ça vaudra mieux.", "On sait où tu habites."},
	complaints: []string{"Harcèlement répété, voir les messages joints.", "Menaces après que j'ai demandé d'arrêter.", "Insulte tout le monde dans les réponses.", "Propos haineux."},
	tags:       []string{"jardin", "velo", "lecture", "cuisine", "photo", "chats"},
	warnings:   []string{"nourriture", "santé", "politique", "travail"},
	words: map[string][]string{
		"lieu":   {"le marché", "la gare", "le port", "le canal", "la vieille place", "le phare"},
		"animal": {"un héron", "le chat du voisin", "deux renards", "une oie furieuse"},
		"objet":  {"un vieux poste de radio", "une machine à coudre", "un accordéon", "un vélo"},
		"faire":  {"trier des boutons", "repeindre le couloir", "accorder le piano", "lire de vieilles cartes"},
		"plat":   {"une soupe de lentilles", "une tarte aux pommes", "du riz au lait", "des crêpes"},
	},
}

var spanish = tongue{
	given:  []name{{"Lucía", "lucia"}, {"Íñigo", "inigo"}, {"Ximena", "ximena"}, {"Joaquín", "joaquin"}, {"Belén", "belen"}, {"Andrés", "andres"}},
	family: []name{{"Muñoz", "munoz"}, {"Peña", "pena"}, {"Ibáñez", "ibanez"}, {"Quispe", "quispe"}, {"Rojas", "rojas"}, {"Ferrer", "ferrer"}},
	bios:   []string{"Bibliotecaria y lectora lenta.", "Guitarra, mate y mala puntería.", "Aquí por los perros.", ""},
	statements: []string{
		"Hoy en {lugar} solo estábamos {animal} y yo.", "¿Alguien sabe arreglar {cosa}? La mía hace ruidos raros.",
		"Tres horas {haciendo} y no me arrepiento de nada.", "Alegría del día: {comida} y silencio.",
		"Nos vemos el sábado en {lugar}; llevo {comida}.", "Opinión impopular: {comida} está mejor al día siguiente.",
		"Por fin terminé de arreglar {cosa}. Quedó torcida, pero es mía.", "Llueve en {lugar} y huele a infancia.",
	},
	replies:    []string{"Me pasa igual.", "¡Foto, por favor!", "Con {comida} queda mejor.", "¿Eso es cerca de {lugar}?", "Gracias, me alegraste el día.", "No estoy de acuerdo, pero qué bien dicho."},
	heckles:    []string{"Nadie te preguntó, cállate.", "Das vergüenza ajena.", "Borra la cuenta y haznos un favor.", "Sabemos dónde trabajas."},
	complaints: []string{"Acoso repetido, ver mensajes adjuntos.", "Me amenaza después de pedirle que pare.", "Insulta a todo el mundo.", "Discurso de odio."},
	tags:       []string{"jardin", "libros", "musica", "gatos", "bici", "fotografia"},
	warnings:   []string{"comida", "salud", "política", "trabajo"},
	words: map[string][]string{
		"lugar":    {"el mercado", "la estación", "el puerto", "la plaza vieja", "el faro"},
		"animal":   {"una garza", "el gato del vecino", "dos zorros", "un ganso enojado"},
		"cosa":     {"una radio vieja", "una máquina de coser", "una bicicleta", "una lámpara"},
		"haciendo": {"ordenando botones", "afinando el piano", "pintando el pasillo", "leyendo mapas viejos"},
		"comida":   {"la sopa de lentejas", "la tarta de manzana", "el arroz con leche", "la tortilla"},
	},
}

var portuguese = tongue{
	given:  []name{{"João", "joao"}, {"Inês", "ines"}, {"Thaís", "thais"}, {"Caetano", "caetano"}, {"Conceição", "conceicao"}},
	family: []name{{"Magalhães", "magalhaes"}, {"Brandão", "brandao"}, {"Souza", "souza"}, {"Antunes", "antunes"}},
	bios:   []string{"Professora, ciclista, teimosa.", "Fotografo azulejos.", ""},
	statements: []string{
		"Hoje {lugar} estava vazio, só eu e {animal}.", "Alguém sabe consertar {coisa}?", "Alegria do dia: {comida} e chuva na janela.",
		"Sábado em {lugar}; eu levo {comida}.", "Passei a tarde a mexer em {coisa}. Não me arrependo.", "Opinião impopular: {comida} é melhor fria.",
	},
	replies:    []string{"Aqui também!", "Manda foto!", "Fica melhor com {comida}.", "Isso é perto de {lugar}?", "Obrigada, alegrou o meu dia."},
	heckles:    []string{"Ninguém te perguntou nada.", "Que vergonha de conta.", "Some daqui de uma vez."},
	complaints: []string{"Assédio repetido, ver publicações.", "Está a ameaçar pessoas.", "Ofensas em todas as respostas."},
	tags:       []string{"jardim", "livros", "gatos", "bicicleta", "azulejos"},
	warnings:   []string{"comida", "saúde", "política"},
	words: map[string][]string{
		"lugar":  {"o mercado", "a estação", "o porto", "o farol", "a feira"},
		"animal": {"uma garça", "o gato da vizinha", "dois patos"},
		"coisa":  {"um rádio velho", "uma bicicleta", "uma máquina de costura"},
		"comida": {"sopa de lentilhas", "bolo de maçã", "arroz-doce", "pão de queijo"},
	},
}

var japanese = tongue{
	familyFirst: true,
	given:       []name{{"結衣", "yui"}, {"蓮", "ren"}, {"さくら", "sakura"}, {"大輔", "daisuke"}, {"美咲", "misaki"}, {"航", "wataru"}},
	family:      []name{{"佐藤", "sato"}, {"鈴木", "suzuki"}, {"渡辺", "watanabe"}, {"小林", "kobayashi"}, {"森", "mori"}},
	bios:        []string{"写真と散歩。", "猫二匹と暮らしています。", "夜更かしの編集者。", ""},
	statements: []string{
		"今朝の{場所}は静かで、{動物}がいただけ。", "{食べ物}を作りすぎたので、誰か食べに来て。", "三時間も{こと}をしていた。後悔はない。",
		"土曜日に{場所}で集まります。{食べ物}を持って行きます。", "今日の小さな幸せ:{食べ物}と雨の音。", "{動物}に道をふさがれて電車に乗り遅れた。",
		"{食べ物}は冷たい方がおいしいと思う。",
	},
	replies:    []string{"わかります。", "写真を見せてください!", "{食べ物}を足すともっといいですよ。", "それは{場所}の近くですか?", "元気が出ました。ありがとう。"},
	heckles:    []string{"誰も聞いていない。消えろ。", "恥ずかしくないのか。", "アカウントを消した方がいい。"},
	complaints: []string{"しつこい嫌がらせです。添付の投稿を見てください。", "脅迫されています。", "誰にでも暴言を吐いています。"},
	tags:       []string{"写真", "猫", "散歩", "読書", "パン"},
	warnings:   []string{"食べ物", "仕事の愚痴", "ネタバレ"},
	words: map[string][]string{
		"場所":  {"港", "駅前", "図書館", "川沿い", "商店街"},
		"動物":  {"鷺", "隣の猫", "亀", "小さな犬"},
		"食べ物": {"味噌汁", "りんごケーキ", "おにぎり", "カレー"},
		"こと":  {"ボタンの整理", "古地図を読むこと", "ラジオの修理", "掃除"},
	},
}

var polish = tongue{
	given:  []name{{"Agnieszka", "agnieszka"}, {"Łukasz", "lukasz"}, {"Zofia", "zofia"}, {"Paweł", "pawel"}},
	family: []name{{"Wójcik", "wojcik"}, {"Dąbrowska", "dabrowska"}, {"Żak", "zak"}, {"Mazur", "mazur"}},
	bios:   []string{"Kawa, koty, kolej.", "Piszę wolno, czytam szybko.", ""},
	statements: []string{
		"Dziś {miejsce} pusty, tylko ja i {zwierz}.", "Czy ktoś umie naprawić {rzecz}?", "Mała radość dnia: {jedzenie} i deszcz za oknem.",
		"W sobotę spotkanie, przyniosę {jedzenie}.", "Niepopularna opinia: {jedzenie} lepsze na zimno.", "Trzy godziny z {rzecz} i niczego nie żałuję.",
	},
	replies:    []string{"Mam tak samo.", "Poproszę zdjęcie!", "Z tym jest jeszcze lepiej: {jedzenie}.", "Dzięki, poprawiło mi to dzień."},
	heckles:    []string{"Nikt cię nie pytał.", "Wstyd na cały internet.", "Usuń konto."},
	complaints: []string{"Uporczywe nękanie, proszę zobaczyć wpisy.", "Grozi mi w odpowiedziach.", "Obraża wszystkich."},
	tags:       []string{"koty", "kolej", "rower", "książki"},
	warnings:   []string{"jedzenie", "zdrowie", "polityka"},
	words: map[string][]string{
		"miejsce":  {"rynek", "dworzec", "park", "port"},
		"zwierz":   {"czapla", "kot sąsiadki", "dwa lisy"},
		"rzecz":    {"stare radio", "maszyna do szycia", "rower"},
		"jedzenie": {"pierogi", "zupa z soczewicy", "szarlotka"},
	},
}

var ukrainian = tongue{
	given:  []name{{"Оксана", "oksana"}, {"Тарас", "taras"}, {"Соломія", "solomiia"}, {"Данило", "danylo"}},
	family: []name{{"Шевчук", "shevchuk"}, {"Бойко", "boiko"}, {"Мельник", "melnyk"}, {"Лисенко", "lysenko"}},
	bios:   []string{"Кава, книжки, коти.", "Вчителька музики.", ""},
	statements: []string{
		"Сьогодні {місце} порожній, тільки я і {тварина}.", "Хтось знає, як полагодити {річ}?", "Маленька радість дня: {їжа} і тиша.",
		"У суботу збираємося, принесу {їжа}.", "Непопулярна думка: {їжа} смачніше наступного дня.",
	},
	replies:    []string{"У мене так само.", "Покажи фото!", "Дякую, підняло настрій.", "Де це?"},
	heckles:    []string{"Тебе ніхто не питав.", "Яка ганьба.", "Видали акаунт."},
	complaints: []string{"Постійне цькування, дивіться дописи.", "Погрожує мені у відповідях.", "Ображає всіх."},
	tags:       []string{"коти", "книжки", "сад", "фото"},
	warnings:   []string{"їжа", "здоров'я", "політика"},
	words: map[string][]string{
		"місце":   {"ринок", "вокзал", "парк", "порт"},
		"тварина": {"чапля", "сусідський кіт", "їжак"},
		"річ":     {"старе радіо", "швейну машинку", "велосипед"},
		"їжа":     {"борщ", "вареники", "яблучний пиріг"},
	},
}

var arabic = tongue{
	given:  []name{{"ليلى", "layla"}, {"يوسف", "yusuf"}, {"مريم", "maryam"}, {"سامي", "sami"}},
	family: []name{{"حداد", "haddad"}, {"المصري", "almasri"}, {"نجار", "najjar"}, {"العطار", "alattar"}},
	bios:   []string{"قهوة وكتب.", "أصوّر الأبواب القديمة.", ""},
	statements: []string{
		"{مكان} هادئ هذا الصباح، أنا و{حيوان} فقط.", "هل يعرف أحد كيف أصلح {شيء}؟", "فرحة اليوم: {طعام} وصوت المطر.",
		"نلتقي يوم السبت، سأحضر {طعام}.", "رأي غير شائع: {طعام} ألذ في اليوم التالي.",
	},
	replies:    []string{"وأنا كذلك.", "نريد صورة!", "شكرا، أسعدت يومي.", "أين هذا المكان؟"},
	heckles:    []string{"لم يسألك أحد.", "عيب عليك.", "احذف حسابك."},
	complaints: []string{"مضايقة متكررة، انظروا المنشورات.", "يهددني في الردود.", "يشتم الجميع."},
	tags:       []string{"كتب", "قهوة", "تصوير", "قطط"},
	warnings:   []string{"طعام", "صحة", "سياسة"},
	words: map[string][]string{
		"مكان":  {"السوق", "الميناء", "المحطة", "الحديقة"},
		"حيوان": {"قط الجيران", "بلشون", "قنفذ"},
		"شيء":   {"مذياعا قديما", "دراجة", "آلة خياطة"},
		"طعام":  {"شوربة العدس", "كعكة التفاح", "الأرز بالحليب"},
	},
}
