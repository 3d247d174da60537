// Words that say how a sentence is built and not what it is about. A word of one language that is a word of
// substance in another ("die", "son", "war", "come") is on no list, and neither is one that shares its stem
// with such a word: "us" would take "use" along.
#include <string>
#include <string_view>
#include <unordered_set>

#include "text/terms/terms.h"

namespace quarry::text {
namespace {

constexpr std::string_view english = R"(
a about above after again against all also although always am among an and another any anyone anything are aren't
around as at be became because become been before behind being below between beyond both but by came can can't cannot
could couldn't did didn't do does doesn't doing don't done down during each either else ever every for from further
get gets getting give given gives go goes going got had hadn't has hasn't have haven't having he her here hers herself
him himself his how however i if in instead into is isn't it its itself just let likely many may maybe me might mine
more most much must my myself neither no nor not now of off often on only onto or other others our ours ourselves out
over own per perhaps quite rather really same shall she should shouldn't since so some somehow someone something
sometimes somewhere still such than that the their theirs them themselves then there thereby therefore these they this
those though through throughout thus to together too toward towards under until up upon very via was wasn't we were
weren't what whatever when whenever where whereas whether which while who whoever whom whose why will with within
without won't would wouldn't yet you your yours yourself yourselves e.g eg i.e ie etc)";

constexpr std::string_view german = R"(
aber alle als am an auch auf aus bei beim bis bist da damit dann das dass dein dem den denn der des dich dir doch dort
du durch ein eine einem einen einer eines einige er es euch euer für gegen habe haben hatte ich ihm ihn ihnen ihr ihre
im in ist ja jede jeder jedes jene kann kein keine können mein mich mir mit muss müssen nach nicht noch nun nur ob oder
ohne sehr sein seine selbst sich sie sind so soll sollte über um und uns unser unter vom von vor wann warum weil welche
welcher wenn wer werden wie wieder wir wird wo würde zu zum zur zwischen)";

constexpr std::string_view french = R"(
à au aux avec ce ces cet cette ceux chez comme comment d dans de des donc du elle elles en est et être eu fait il ils
je j l la le les leur leurs lui ma mais me mes moi mon même n ne nos notre nous on ont ou où par pas peut pourquoi qu
quand que quel quelle quelles quels qui quoi sa sans se ses si sont soit sur ta te tes toi ton tous tout toute toutes
très tu un une vos votre vous y été était)";

constexpr std::string_view spanish = R"(
a al algo antes así aunque cada como cómo con contra cual cuál cuando cuándo cuya cuyo de del desde donde dónde durante
e el él ella ellas ellos en entre era es esa ese eso esta está están estar este esto estos fue ha hasta hay la las le
les lo los más me mi mientras mis muy nada ni no nos nosotros o os otra otro para pero poco por porque qué que quien
quién se sea según ser si sí sobre su sus también tanto te tiene todo todos tu tus un una uno unos y ya yo)";

constexpr std::string_view italian = R"(
agli ai al alla alle allo anche c che chi ci con cosa cui da dagli dai dal dall dalla dalle degli dei del dell della
delle dello di dove e è ed era essere gli ha hanno ho i il in io l la le lei lo loro lui ma mi mia mio molto ne negli
nei nel nell nella nelle noi non o ogni per perché più quale quando quanto quella quelle quelli quello questa queste
questi questo se sei si sia sono su sua sue sugli sul sulla suo suoi tra tu tutti tutto un una uno vi voi)";

constexpr std::string_view portuguese = R"(
à ao aos aquela aquele aquilo as às até com como da das de dela dele depois do dos e é ela elas ele eles em entre era
essa esse esta está estão este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos nós
nossa nosso num numa o os ou para pela pelas pelo pelos por porque qual quando que quem são se sem ser seu seus só sua
suas também te tem têm teu tu tua um uma você vocês)";

constexpr std::string_view dutch = R"(
aan al als bij dan dat de der deze dit doen een en er ge geen haar had heb hebben heeft hem het hier hij hoe hun ik in
is ja je jij kan kunnen maar me meer met mij mijn naar niet nog nu om omdat ons onze ook op over te tot u uit van veel
voor waar wanneer waarom was wat we wel welke wie wij wordt worden ze zei zelf zich zij zijn zo zonder zou)";

constexpr std::string_view russian = R"(
а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще
же за здесь и из или им их к как какая какой когда кто ли между меня мне может мой мы на над надо нас не него нее нет
ни них но ну о об однако он она они оно от очень по под после потому почему при про с сам свой себя со так также такой
там те тем то тогда того тоже той только том ты у уже хотя чего чей чем что чтобы эта эти этим этих это этого этой
этом этот я)";

struct HashOfView {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
};
using StopWords = std::unordered_set<std::string, HashOfView, std::equal_to<>>;

// The lists are read as any text is, so that they hold what terms look like: "this" is "thi".
StopWords make_stop_words() {
    StopWords words;
    TermReader reader;
    for (const std::string_view list :
         {english, german, french, spanish, italian, portuguese, dutch, russian})
        for (const Term& term : reader.read(list))
            if (!term.is_part) words.emplace(term.text);
    return words;
}

}  // namespace

bool is_stop_word(std::string_view term) {
    static const StopWords words = make_stop_words();
    return words.contains(term);
}

}  // namespace quarry::text
